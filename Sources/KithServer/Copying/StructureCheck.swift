/// SQLite's own check of the structure of a file. It reads all pages.
enum StructureCheck {
    /// What SQLite finds damaged, in its own words; empty if the structure is intact.
    static func faults(in transaction: any Transaction) throws -> [String] {
        let words = try transaction.query("PRAGMA integrity_check").map { try $0.text(0) }
        return words == ["ok"] ? [] : words
    }
}
