import Foundation
import KithModel

/// A row of the table `attribution`: who has brought an account to a programme. It is written once.
struct AttributionRow: Hashable {
    /// The friend who was brought.
    let account: AccountID
    let programme: String
    let advocate: AccountID
    /// The shareable or the share that has brought the friend.
    let source: UUID
    let basis: Referral.Basis
    let channel: ShareChannel
    /// When the code was used, or the share was made.
    let shared: Timestamp
    /// When the friend signed up.
    let joined: Timestamp
    let bound: Timestamp
    /// Whether the friend has used the code from a network of the advocate.
    let isSameNetwork: Bool
    /// The advocate's record.
    let record: ReferralID

    /// The advocate's record.
    var place: RecordPlace { RecordPlace(record, of: advocate) }

    /// Whether only a device says that the advocate has shared to the friend: no code was used, and the server has sent no
    /// email.
    var isNoted: Bool { basis == .recipient && channel != .email }

    private static let columns = [
        "account", "programme", "advocate", "source", "basis", "channel", "shared", "joined", "bound",
        "is_same_network", "record",
    ]

    /// Who has brought an account to a programme; nil if nobody has.
    static func find(
        _ account: AccountID, _ programme: String, in transaction: any Transaction
    ) throws -> AttributionRow? {
        try transaction.query(
            "SELECT \(columns.joined(separator: ", ")) FROM attribution WHERE account = ? AND programme = ?",
            [.id(account), .text(programme)]
        ).first.map(AttributionRow.init)
    }

    /// The number of other friends that the advocate has brought to the programme since a time.
    func others(since time: Timestamp, in transaction: any Transaction) throws -> Int {
        try transaction.count(
            "SELECT count(*) FROM attribution WHERE advocate = ? AND programme = ? AND bound > ? AND account <> ?",
            [.id(advocate), .text(programme), .time(time), .id(account)])
    }

    /// When the advocate shared to the friend, or when the server learnt what the used code leads to; nil if it is gone.
    func firstShared(in transaction: any Transaction) throws -> Timestamp? {
        switch basis {
        case .recipient: shared
        case .code: try ShareCodeRow.firstMade(for: ShareableID(source), of: advocate, in: transaction)
        }
    }

    /// The number of other people who shared to the friend in the 24 hours before the friend joined. None of them counts if
    /// the friend has chosen a code. Otherwise strangers could hold up the friend's rewards.
    func otherAdvocates(in transaction: any Transaction) throws -> Int {
        guard basis == .recipient else { return 0 }
        return try ShareRow.countAccounts(
            sharingTo: account, in: programme, from: joined - .days(1), through: joined, except: advocate,
            in: transaction)
    }

    /// The number of others who joined the programme in the minutes before, up to a number.
    func joinsInBulk(upTo most: Int, in transaction: any Transaction) throws -> Int {
        try transaction.count(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM attribution WHERE programme = ? AND bound > ? AND bound <= ? AND account <> ? LIMIT ?
            ) AS one
            """,
            [
                .text(programme), .time(bound - ReferralGuards.bulkTime), .time(bound), .id(account),
                .integer(Int64(most)),
            ])
    }

    /// Writes the row, unless somebody else has brought the account.
    ///
    /// - Returns: Whether it was written.
    func insert(in transaction: any Transaction) throws -> Bool {
        let places = repeatElement("?", count: Self.columns.count).joined(separator: ", ")
        return try transaction.changes(
            """
            INSERT INTO attribution (\(Self.columns.joined(separator: ", "))) VALUES (\(places))
            ON CONFLICT (account, programme) DO NOTHING RETURNING account
            """,
            [
                .id(account), .text(programme), .id(advocate), .bytes(source.data), .text(basis.rawValue),
                .text(channel.rawValue), .time(shared), .time(joined), .time(bound), .flag(isSameNetwork), .id(record),
            ])
    }
}

extension AttributionRow {
    private init(_ row: SQLRow) throws {
        account = try row.id(0)
        programme = try row.text(1)
        advocate = try row.id(2)
        source = try row.id(3, of: Never.self).uuid
        basis = Referral.Basis(rawValue: try row.text(4)) ?? .code
        channel = ShareChannel(rawValue: try row.text(5)) ?? .link
        shared = try row.time(6)
        joined = try row.time(7)
        bound = try row.time(8)
        isSameNetwork = try row.flag(9)
        record = try row.id(10)
    }
}
