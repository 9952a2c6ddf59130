import Foundation
import KithModel

/// The output of an identity under a key, and its account, as the database stores them.
struct Evaluation: Hashable, Sendable {
    let prefix: UInt64
    let tag: UInt64
    /// The account; nil if the identity is permanently removed.
    private(set) var account: AccountID?
    private(set) var masked: MaskedAccount
    /// Whether the identity is not discoverable.
    var isGone: Bool

    /// The evaluation of an identity, by its output.
    init(_ output: DiscoveryOutput, of account: AccountID?, isGone: Bool) {
        (prefix, tag) = (output.prefix, output.tag)
        (self.account, self.isGone) = (account, isGone)
        masked = account.map { output.masked($0) } ?? .nobody
    }

    /// Removes the account permanently.
    mutating func leave() { (account, masked, isGone) = (nil, .nobody, true) }

    /// All evaluations of an account under a key.
    static func all(of account: AccountID, under key: String, in transaction: any Transaction) throws -> [Evaluation] {
        try transaction.query(
            """
            SELECT prefix, tag, masked, gone FROM evaluation WHERE account = ? AND discovery_key = ?
            ORDER BY prefix, tag
            """, [.id(account), .text(key)]
        ).map { try Evaluation($0, of: account) }
    }

    private init(_ row: SQLRow, of account: AccountID) throws {
        prefix = UInt64(bitPattern: try row.integer(0))
        tag = UInt64(bitPattern: try row.integer(1))
        masked = MaskedAccount(row.values[2]) ?? .nobody
        isGone = try row.flag(3)
        self.account = account
    }

    /// Writes evaluations with the next sequences of the key. The removal of an identity that was never published is
    /// not stored.
    static func write(
        _ evaluations: [Evaluation], under key: String, at now: Timestamp, in transaction: any Transaction
    ) throws {
        let rows = try evaluations.filter { try $0.account != nil || $0.isKnown(under: key, in: transaction) }
        if rows.isEmpty { return }
        let last = try transaction.query(
            "UPDATE discovery_key SET sequence = sequence + ? WHERE id = ? RETURNING sequence",
            [.integer(Int64(rows.count)), .text(key)]
        ).first?.integer(0)
        guard let last else { return }
        let first = last - Int64(rows.count) + 1
        try transaction.insert(
            into: "evaluation",
            ["discovery_key", "prefix", "tag", "account", "masked", "sequence", "changed", "gone"],
            rows.enumerated().map { index, evaluation in
                [.text(key)] + evaluation.place + [
                    .id(evaluation.account), .bytes(evaluation.masked.data),
                    .integer(first + Int64(index)), .time(now), .flag(evaluation.isGone),
                ]
            }, replacing: ["discovery_key", "prefix", "tag"])
    }

    private func isKnown(under key: String, in transaction: any Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM evaluation WHERE discovery_key = ? AND prefix = ? AND tag = ?", [.text(key)] + place)
    }

    private var place: [SQLValue] {
        [.integer(Int64(bitPattern: prefix)), .integer(Int64(bitPattern: tag))]
    }
}

extension MaskedAccount {
    /// The value if there is no account.
    static let nobody = MaskedAccount(high: 0, low: 0)

    var data: Data { UUID(high: high, low: low).data }

    init?(_ value: SQLValue) {
        guard case .uuid(let uuid) = value else { return nil }
        self.init(high: uuid.halves.high, low: uuid.halves.low)
    }
}
