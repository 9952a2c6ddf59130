import KithServer

extension SQLiteDatabase {
    /// Writes a name, which ``has(_:)`` finds.
    func put(_ name: String) async throws {
        try await write { try $0.execute("INSERT INTO meta (name, value) VALUES (?, '')", [.text(name)]) }
    }

    /// Whether a name is written.
    func has(_ name: String) throws -> Bool {
        try readNow { try !$0.query("SELECT 1 FROM meta WHERE name = ?", [.text(name)]).isEmpty }
    }
}
