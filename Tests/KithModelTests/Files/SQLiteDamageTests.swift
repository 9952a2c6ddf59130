import KithModel
import Testing

@Suite("Damage that SQLite reports") struct SQLiteDamageTests {
    @Test(
        "A malformed file, a file that is no database, and a wrong format of the schema are damage",
        arguments: [
            (11, nil), (11, "database disk image is malformed"), (267, nil), (26, "file is not a database"),
            (1, "unsupported file format"),
        ] as [(Int32, String?)])
    func damage(code: Int32, message: String?) {
        #expect(SQLiteDamage.isReported(by: code, message))
    }

    @Test(
        "A wrong statement, a lock, a full disk and a failing one are not",
        arguments: [
            (0, nil), (1, nil), (1, "no such table: item"), (5, "unsupported file format"), (13, nil), (10, nil),
            (778, nil), (14, nil),
        ] as [(Int32, String?)])
    func others(code: Int32, message: String?) {
        #expect(!SQLiteDamage.isReported(by: code, message))
    }
}
