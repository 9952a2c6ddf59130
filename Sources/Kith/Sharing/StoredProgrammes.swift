import Foundation
import GRDB
import KithModel

/// The programmes of an account's server when they were last fetched, as the replica stores them.
struct StoredProgrammes: Hashable, Sendable {
    let programmes: [ShareProgramme]
    let fetched: Timestamp
    /// Whether the account was identified. The server shows identified accounts other zones.
    let isIdentified: Bool
    /// The languages that were requested, best first.
    let languages: [String]

    init(_ programmes: [ShareProgramme], fetched: Timestamp, isIdentified: Bool, languages: [String]) {
        (self.programmes, self.fetched) = (programmes, fetched)
        (self.isIdentified, self.languages) = (isIdentified, languages)
    }

    /// nil if an earlier version has written them in a form that this one cannot read.
    private init?(_ row: Row) {
        let text: String = row[0]
        guard let programmes = try? JSONDecoder().decode([ShareProgramme].self, from: Data(text.utf8)) else {
            return nil
        }
        let languages: String = row[3]
        self.init(
            programmes, fetched: Timestamp(milliseconds: row[1]), isIdentified: row[2],
            languages: languages.split(separator: " ").map(String.init))
    }

    subscript(name: String) -> ShareProgramme? { programmes.first { $0.name == name } }

    /// Whether they need not be fetched again for such a request.
    func isFresh(at now: Timestamp, maxAge: Duration, isIdentified: Bool, languages: [String]) -> Bool {
        fetched <= now && now - fetched < maxAge && self.isIdentified == isIdentified && self.languages == languages
    }

    static func fetch(in store: Store) throws -> StoredProgrammes? {
        try Row.fetchOne(
            store.db.cachedStatement(
                sql: "SELECT programmes, fetched, isIdentified, languages FROM programme WHERE account = ?"),
            arguments: [store.key]
        ).flatMap { StoredProgrammes($0) }
    }

    func save(in store: Store) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(programmes), as: UTF8.self)
        try store.db.cachedStatement(
            sql: """
                INSERT INTO programme (account, programmes, fetched, isIdentified, languages) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET programmes = excluded.programmes, fetched = excluded.fetched,
                    isIdentified = excluded.isIdentified, languages = excluded.languages
                """
        ).execute(
            arguments: [store.key, text, fetched.milliseconds, isIdentified, languages.joined(separator: " ")])
    }
}
