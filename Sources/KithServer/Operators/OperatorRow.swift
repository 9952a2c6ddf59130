package import KithModel

/// A row of the table `operator`: somebody who may open the operator's pages.
package struct OperatorRow: Hashable, Sendable {
    package let name: OperatorName
    let password: PasswordHash
    package let created: Timestamp
    /// When the password was made.
    package let changed: Timestamp

    private static let columns = "name, password, created, changed"

    init(_ name: OperatorName, _ password: PasswordHash, at now: Timestamp) {
        (self.name, self.password, created, changed) = (name, password, now, now)
    }

    private init(_ row: SQLRow) throws {
        name = OperatorName(stored: try row.text(0))
        password = PasswordHash(stored: try row.text(1))
        created = try row.time(2)
        changed = try row.time(3)
    }

    static func find(_ name: OperatorName, in transaction: any Transaction) throws -> OperatorRow? {
        try transaction.query("SELECT \(columns) FROM operator WHERE name = ?", [.text(name.text)]).first
            .map(OperatorRow.init)
    }

    /// The operators, sorted by their names.
    static func all(in transaction: any Transaction) throws -> [OperatorRow] {
        try transaction.query("SELECT \(columns) FROM operator ORDER BY name").map(OperatorRow.init)
    }

    /// Writes a new row.
    ///
    /// - Returns: Whether it was written: there was none with the name.
    func insert(in transaction: any Transaction) throws -> Bool {
        try transaction.changes(
            """
            INSERT INTO operator (name, password, created, changed) VALUES (?, ?, ?, ?)
            ON CONFLICT (name) DO NOTHING RETURNING name
            """, [.text(name.text), .text(password.text), .time(created), .time(changed)])
    }

    /// Stores a new password.
    ///
    /// - Returns: Whether there is an operator with the name.
    static func setPassword(
        _ password: PasswordHash, of name: OperatorName, at now: Timestamp, in transaction: any Transaction
    ) throws -> Bool {
        try transaction.changes(
            "UPDATE operator SET password = ?, changed = ? WHERE name = ? RETURNING name",
            [.text(password.text), .time(now), .text(name.text)])
    }

    /// Deletes a row.
    ///
    /// - Returns: Whether there was an operator with the name.
    static func remove(_ name: OperatorName, in transaction: any Transaction) throws -> Bool {
        try transaction.changes("DELETE FROM operator WHERE name = ? RETURNING name", [.text(name.text)])
    }
}
