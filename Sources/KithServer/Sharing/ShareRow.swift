import KithModel

/// A row of the table `share`: a share, to find it by its recipient or its message.
struct ShareRow: Hashable {
    let account: AccountID
    let id: ShareID
    let shareable: ShareableID
    let programme: String
    let channel: ShareChannel
    /// The recipient: as in the record at first, and in canonical form from when the background job has counted or sent it. Nil
    /// if it is not known, or if the share has brought nobody: see ``forgetRecipient(in:)``.
    var recipient: Identity?
    /// The keyed hash of the network from which it was shared.
    let network: NetworkHash?
    /// When it was shared, in the device's time, but not after the server has received it.
    let shared: Timestamp
    /// The email; nil if there is none, or if it was not sent.
    var message: MessageID?

    /// The record.
    var place: RecordPlace { RecordPlace(id, of: account) }

    private static let columns = "account, id, record, programme, channel, recipient, network, shared, message"

    init(_ share: Share, of account: AccountID, in programme: String, from network: NetworkHash?, at now: Timestamp) {
        self.account = account
        id = share.id
        shareable = share.shareable
        self.programme = programme
        channel = share.channel
        recipient = share.recipient
        self.network = network
        shared = min(share.shared, now)
    }

    private init(_ row: SQLRow) throws {
        account = try row.id(0)
        id = try row.id(1)
        shareable = try row.id(2)
        programme = try row.text(3)
        channel = ShareChannel(rawValue: try row.text(4)) ?? .link
        recipient = try row.optionalText(5).flatMap { Identity($0) }
        network = try row.optionalBytes(6).map { NetworkHash($0) }
        shared = try row.time(7)
        message = try row.optionalID(8)
    }

    // MARK: Reading

    static func find(_ id: ShareID, of account: AccountID, in transaction: any Transaction) throws -> ShareRow? {
        try find("account = ? AND id = ?", [.id(account), .id(id)], in: transaction)
    }

    /// The share whose email this is.
    static func find(message: MessageID, in transaction: any Transaction) throws -> ShareRow? {
        try find("message = ?", [.id(message)], in: transaction)
    }

    /// The share of somebody else to an identity of an account that counts in a programme; nil if there is none. An email that
    /// the server has sent counts before a share that a device has noted.
    ///
    /// The database chooses it, because strangers can share to somebody very often.
    static func counting(
        to account: AccountID, in programme: Programme, joined: Timestamp, in transaction: any Transaction
    ) throws -> ShareRow? {
        let attribution = programme.attribution
        let direction = attribution.rule == .newest ? "DESC" : "ASC"
        let noted = programme.guards.notedShares == .ignore ? "" : "channel <> 'email' OR "
        return try find(
            """
            recipient IN (SELECT value FROM identity WHERE identity.account = ?) AND programme = ? AND account <> ?
                AND shared >= ? AND shared <= ? AND (\(noted)message IS NOT NULL)
            ORDER BY channel = 'email' DESC, shared \(direction), id \(direction) LIMIT 1
            """,
            [
                .id(account), .text(programme.name), .id(account), .time(joined - attribution.window), .time(joined),
            ], in: transaction)
    }

    private static func find(
        _ condition: String, _ values: [SQLValue], in transaction: any Transaction
    ) throws -> ShareRow? {
        try transaction.query("SELECT \(columns) FROM share WHERE \(condition)", values).first.map(ShareRow.init)
    }

    /// The number of accounts that have shared to the identities of an account in a time.
    static func countAccounts(
        sharingTo account: AccountID, in programme: String, from start: Timestamp, through end: Timestamp,
        except advocate: AccountID, in transaction: any Transaction
    ) throws -> Int {
        try transaction.count(
            """
            SELECT count(DISTINCT account) FROM share
            WHERE recipient IN (SELECT value FROM identity WHERE identity.account = ?) AND programme = ?
                AND shared > ? AND shared <= ? AND account <> ?
            """, [.id(account), .text(programme), .time(start), .time(end), .id(advocate)])
    }

    /// The number of shares of an account.
    static func count(of account: AccountID, in transaction: any Transaction) throws -> Int {
        try transaction.count("SELECT count(*) FROM share WHERE account = ?", [.id(account)])
    }

    /// Whether an account has shared from this network.
    static func isKnown(_ network: NetworkHash, of account: AccountID, in transaction: any Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT id FROM share WHERE account = ? AND network = ? LIMIT 1", [.id(account), .bytes(network.bytes)])
    }

    // MARK: Writing

    static func insert(_ shares: [ShareRow], in transaction: any Transaction) throws {
        try transaction.insert(
            into: "share",
            ["account", "id", "record", "programme", "channel", "recipient", "network", "shared", "message"],
            shares.map { share in
                [
                    .id(share.account), .id(share.id), .id(share.shareable), .text(share.programme),
                    .text(share.channel.rawValue), .text(share.recipient?.text), .bytes(share.network?.bytes),
                    .time(share.shared), .id(share.message),
                ]
            }, replacing: ["account", "id"])
    }

    /// Stores the recipient in another spelling.
    func setRecipient(_ recipient: Identity, in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE share SET recipient = ? WHERE account = ? AND id = ?",
            [.text(recipient.text), .id(account), .id(id)])
    }

    /// Stores which email it is.
    func setMessage(_ message: MessageID, in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE share SET message = ? WHERE account = ? AND id = ?", [.id(message), .id(account), .id(id)])
    }

    /// Forgets the recipient, so that the share brings nobody: it has not reached them, or its programme is paused. The
    /// record keeps the recipient.
    func forgetRecipient(in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE share SET recipient = NULL WHERE account = ? AND id = ?", [.id(account), .id(id)])
    }

    /// Deletes the rows of deleted records.
    static func delete(_ places: [RecordPlace], in transaction: any Transaction) throws {
        try transaction.delete(from: "share", ["account", "id"], places.map { [.id($0.feed), .id($0.record)] })
    }
}
