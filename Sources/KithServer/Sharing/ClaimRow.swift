import KithModel

/// A row of the table `claim`: a code that an account has used.
struct ClaimRow: Hashable {
    let account: AccountID
    let id: ClaimID
    /// The key of the code.
    let key: String
    /// When it was used, in the device's time, but not after the server has received it.
    let used: Timestamp
    /// How the code was shared, if the link said so.
    let channel: ShareChannel?
    /// The keyed hash of the network from which it was used.
    let network: NetworkHash?

    /// The record.
    var place: RecordPlace { RecordPlace(id, of: account) }

    private static let columns = "account, id, key, used, channel, network"

    init(_ claim: Claim, of account: AccountID, from network: NetworkHash?, at now: Timestamp) {
        self.account = account
        id = claim.id
        key = claim.code.key
        used = min(claim.used, now)
        channel = claim.channel
        self.network = network
    }

    private init(_ row: SQLRow) throws {
        account = try row.id(0)
        id = try row.id(1)
        key = try row.text(2)
        used = try row.time(3)
        channel = try row.optionalText(4).flatMap { ShareChannel(rawValue: $0) }
        network = try row.optionalBytes(5).map { NetworkHash($0) }
    }

    /// A code of an account about which nothing is decided; nil if there is none.
    static func findOpen(_ id: ClaimID, of account: AccountID, in transaction: any Transaction) throws -> ClaimRow? {
        try transaction.query(
            "SELECT \(columns) FROM claim WHERE account = ? AND id = ? AND is_open = 1", [.id(account), .id(id)]
        ).first.map(ClaimRow.init)
    }

    /// The codes of an account about which nothing is decided.
    static func allOpen(of account: AccountID, in transaction: any Transaction) throws -> [ClaimRow] {
        try transaction.query(
            "SELECT \(columns) FROM claim WHERE account = ? AND is_open = 1 ORDER BY id", [.id(account)]
        ).map(ClaimRow.init)
    }

    /// The number of codes that an account has used.
    static func count(of account: AccountID, in transaction: any Transaction) throws -> Int {
        try transaction.count("SELECT count(*) FROM claim WHERE account = ?", [.id(account)])
    }

    static func insert(_ claims: [ClaimRow], in transaction: any Transaction) throws {
        try transaction.insert(
            into: "claim", ["account", "id", "key", "used", "channel", "network", "is_open"],
            claims.map { claim in
                [
                    .id(claim.account), .id(claim.id), .text(claim.key), .time(claim.used),
                    .text(claim.channel?.rawValue), .bytes(claim.network?.bytes), .flag(true),
                ]
            }, replacing: ["account", "id"])
    }

    /// Stores that it is decided.
    func close(in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE claim SET is_open = 0 WHERE account = ? AND id = ?", [.id(account), .id(id)])
    }
}
