package import Foundation

/// The server's answer in a round. Its content comes from one snapshot of the database, taken after the round's
/// mutations were committed.
package struct SyncAnswer: Hashable, Sendable, Codable {
    /// The session's account.
    package var account: AccountID
    /// The server's time.
    package var time: Timestamp
    /// Changes when the server is restored from a backup. Devices then resend what the server had acknowledged, and
    /// reread everything.
    package var epoch: String
    /// Whether the server and the device agree about the numbers of the device's mutations.
    package var device: DeviceStanding
    /// The last mutation that the server has taken.
    package var acknowledged: Acknowledgement
    /// The outcomes of the request's mutations. A mutation up to `acknowledged` without an outcome was applied.
    package var outcomes: [MutationOutcome]
    /// The current state of every record in the request's mutations that the account may read.
    package var records: [FeedRecord]
    /// The changes by feed.
    package var feeds: [FeedChanges]
    /// Feeds that the device may have and the account can no longer read.
    package var lost: [FeedID]
    /// The device's read position after it has applied this answer.
    package var token: SyncToken
    /// Whether another round would return more right now.
    package var more: Bool
    /// The kind of the account; nil if it is that of the request, if the request has none, or from older servers. Unlike
    /// the other content, it was read with the session, before the mutations were taken.
    package var kind: String?

    /// Creates an answer with these properties.
    package init(
        account: AccountID, time: Timestamp, epoch: String, device: DeviceStanding, acknowledged: Acknowledgement,
        outcomes: [MutationOutcome], records: [FeedRecord], feeds: [FeedChanges], lost: [FeedID], token: SyncToken,
        more: Bool, kind: String? = nil
    ) {
        self.account = account
        self.time = time
        self.epoch = epoch
        self.device = device
        self.acknowledged = acknowledged
        self.outcomes = outcomes
        self.records = records
        self.feeds = feeds
        self.lost = lost
        self.token = token
        self.more = more
        self.kind = kind
    }

    // MARK: JSON

    /// Reads an answer in JSON. Unknown names are skipped, because a newer server may send more. A member that has a
    /// default may be missing: see ``json(isMinimal:)``.
    ///
    /// - Throws: `DecodingError` if it cannot be read.
    package init(json data: Data) throws {
        if let answer = JSONReader.read(data, { try SyncAnswer(&$0) }) {
            self = answer
        } else {
            self = try JSONDecoder().decode(SyncAnswer.self, from: data)
        }
    }

    private init(_ reader: inout JSONReader) throws {
        var (account, time, epoch): (AccountID?, Int64?, String?)
        var (device, acknowledged): (DeviceStanding?, Acknowledgement?)
        var (outcomes, records): ([MutationOutcome]?, [FeedRecord]?)
        var (feeds, lost): ([FeedChanges]?, [FeedID]?)
        var (token, more, kind): (String?, Bool?, String?)
        try reader.object { reader, name in
            switch name {
            case "account": try reader.once(&account) { try $0.id() }
            case "time": try reader.once(&time) { try $0.integer() }
            case "epoch": try reader.once(&epoch) { try $0.text() }
            case "device":
                try reader.once(&device) { try DeviceStanding(rawValue: $0.text()).orRefuse() }
            case "acknowledged": try reader.once(&acknowledged) { try Acknowledgement(&$0) }
            case "outcomes": try reader.once(&outcomes) { try $0.all { try MutationOutcome(&$0) } }
            case "records": try reader.once(&records) { try $0.all { try FeedRecord(&$0) } }
            case "feeds": try reader.once(&feeds) { try $0.all { try FeedChanges(&$0) } }
            case "lost": try reader.once(&lost) { try $0.all { try $0.id() } }
            case "token": try reader.once(&token) { try $0.text() }
            case "more": try reader.once(&more) { try $0.flag() }
            case "kind": try reader.once(&kind) { try $0.text() }
            default: try reader.skip()
            }
        }
        self.init(
            account: try account.orRefuse(), time: Timestamp(milliseconds: try time.orRefuse()),
            epoch: try epoch.orRefuse(), device: try device.orRefuse(), acknowledged: try acknowledged.orRefuse(),
            outcomes: outcomes ?? [], records: records ?? [], feeds: feeds ?? [], lost: lost ?? [],
            token: SyncToken(rawValue: try token.orRefuse()), more: more ?? false, kind: kind)
    }

    /// Reads an answer, with the same defaults.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        account = try container.decode(AccountID.self, forKey: .account)
        time = try container.decode(Timestamp.self, forKey: .time)
        epoch = try container.decode(String.self, forKey: .epoch)
        device = try container.decode(DeviceStanding.self, forKey: .device)
        acknowledged = try container.decode(Acknowledgement.self, forKey: .acknowledged)
        outcomes = try container.decodeIfPresent([MutationOutcome].self, forKey: .outcomes) ?? []
        records = try container.decodeIfPresent([FeedRecord].self, forKey: .records) ?? []
        feeds = try container.decodeIfPresent([FeedChanges].self, forKey: .feeds) ?? []
        lost = try container.decodeIfPresent([FeedID].self, forKey: .lost) ?? []
        token = try container.decode(SyncToken.self, forKey: .token)
        more = try container.decodeIfPresent(Bool.self, forKey: .more) ?? false
        kind = try container.decodeIfPresent(String.self, forKey: .kind)
    }

    /// The whole answer in JSON, as `Codable` reads it.
    package var json: Data { json(isMinimal: false) }

    /// The answer in JSON, as `Codable` reads it. If it `isMinimal`, it lacks the members that have their default:
    /// empty arrays, and `more` if it is false. Clients of older versions need all members.
    package func json(isMinimal: Bool) -> Data {
        let isWhole = !isMinimal
        var json = JSONWriter()
        var written = WrittenChanges()
        json.object { json in
            json.member("account") { $0.id(account) }
            json.member("time") { $0.integer(time.milliseconds) }
            json.member("epoch") { $0.text(epoch) }
            json.member("device") { $0.text(device.rawValue) }
            json.member("acknowledged") { acknowledged.write(to: &$0) }
            if isWhole || !outcomes.isEmpty { json.member("outcomes") { $0.array(outcomes) { $1.write(to: &$0) } } }
            if isWhole || !records.isEmpty {
                json.member("records") { $0.array(records) { $1.write(to: &$0, adding: &written) } }
            }
            if isWhole || !feeds.isEmpty {
                json.member("feeds") { $0.array(feeds) { $1.write(to: &$0, after: written) } }
            }
            if isWhole || !lost.isEmpty { json.member("lost") { $0.array(lost) { $0.id($1) } } }
            json.member("token") { $0.text(token.rawValue) }
            if isWhole || more { json.member("more") { $0.flag(more) } }
            if let kind { json.member("kind") { $0.text(kind) } }
        }
        return Data(json.bytes)
    }
}
