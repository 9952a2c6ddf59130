package import KithModel

/// A row of the table `share_code`: a code that was registered for an account. It stays for ever, so that a link never
/// leads to somebody else.
package struct ShareCodeRow: Hashable, Sendable {
    /// What all spellings of the code have in common.
    package let key: String
    /// The account that has the code; nil once it was deleted. Nobody can have the code then.
    package let account: AccountID?
    /// The shareable; nil once the account was deleted.
    package let record: ShareableID?
    /// The name of the programme.
    package let programme: String
    /// The keyed hash of the network from which it was registered.
    let network: NetworkHash?
    /// When it was registered.
    package let made: Timestamp

    private static let columns = "share_code.key, account, record, programme, network, made"

    private init(_ row: SQLRow) throws {
        key = try row.text(0)
        account = try row.optionalID(1)
        record = try row.optionalID(2)
        programme = try row.text(3)
        network = try row.optionalBytes(4).map { NetworkHash($0) }
        made = try row.time(5)
    }

    /// The row of a code, in any spelling; nil if nobody has it.
    package static func find(_ code: ShareCode, in transaction: any Transaction) throws -> ShareCodeRow? {
        try transaction.query("SELECT \(columns) FROM share_code WHERE share_code.key = ?", [.text(code.key)]).first
            .map(ShareCodeRow.init)
    }

    /// The rows of these keys.
    static func find(_ keys: Set<String>, in transaction: any Transaction) throws -> [String: ShareCodeRow] {
        let rows = try transaction.query(
            wanted: ["key"], keys.sorted().map { [.text($0)] },
            "SELECT \(columns) FROM wanted CROSS JOIN share_code WHERE share_code.key = wanted.key"
        ).map(ShareCodeRow.init)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0) })
    }

    /// When the first code of a shareable was registered; nil if there is none.
    static func firstMade(
        for shareable: ShareableID, of account: AccountID, in transaction: any Transaction
    ) throws -> Timestamp? {
        try transaction.query(
            "SELECT made FROM share_code WHERE account = ? AND record = ? ORDER BY made LIMIT 1",
            [.id(account), .id(shareable)]
        ).first?.time(0)
    }

    /// The number of codes that were registered for an account.
    static func count(of account: AccountID, in transaction: any Transaction) throws -> Int {
        try transaction.count("SELECT count(*) FROM share_code WHERE account = ?", [.id(account)])
    }

    /// Registers the code of a shareable. An account's own code can lead to another of its shareables in the programme.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if somebody else has taken the code since it was checked.
    static func register(
        _ shareable: Shareable, of account: AccountID, from network: NetworkHash?, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        let isRegistered = try transaction.changes(
            """
            INSERT INTO share_code (key, account, record, programme, network, made) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET record = excluded.record
            WHERE share_code.account = excluded.account AND share_code.programme = excluded.programme RETURNING key
            """,
            [
                .text(shareable.code.key), .id(account), .id(shareable.id), .text(shareable.programme),
                .bytes(network?.bytes), .time(now),
            ])
        // Two edits of one request can give a code to two programmes. It then stays with the first.
        if try !isRegistered && find(shareable.code, in: transaction)?.account != account {
            throw ServerError(.busy, "Somebody else has just taken the code. Try again.", retryAfter: .seconds(1))
        }
    }

    /// Forgets whose the codes of a deleted account were. The codes stay, so that nobody else gets them.
    static func forget(_ account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE share_code SET account = NULL, record = NULL, network = NULL WHERE account = ?", [.id(account)])
    }
}
