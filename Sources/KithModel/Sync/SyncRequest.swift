package import Foundation

/// A device's request in one round: its mutations and its read position.
///
/// `POST /v1/sync`; see `Documentation/Protocol.md`, section "A round".
package struct SyncRequest: Hashable, Sendable, Codable {
    /// The account that the device assumes. The server compares it with the session's, so that the outbox of one
    /// account is never sent as another's.
    package var account: AccountID
    /// The device that sends the request and has numbered the mutations.
    package var device: DeviceID
    /// The last mutation that the device knows to be taken.
    package var acknowledged: Acknowledgement
    /// The highest number that the device has ever assigned to a mutation.
    package var sent: Int64
    /// The mutations after `acknowledged`, ordered by number, at most ``Limits/mutations``.
    package var mutations: [Mutation]
    /// The token of the last answer; nil in the first round.
    package var token: SyncToken?
    /// Feeds to reread, because the device's records differ from the server's.
    package var reread: [FeedID]?
    /// The kind of the account, as far as the device knows; nil from older clients.
    package var kind: String?

    /// Creates a request with these properties.
    package init(
        account: AccountID, device: DeviceID, acknowledged: Acknowledgement, sent: Int64, mutations: [Mutation],
        token: SyncToken?, reread: [FeedID]? = nil, kind: String? = nil
    ) {
        self.account = account
        self.device = device
        self.acknowledged = acknowledged
        self.sent = sent
        self.mutations = mutations
        self.token = token
        self.reread = reread
        self.kind = kind
    }

    // MARK: JSON

    /// Reads a request in the notation that Kith writes; nil if only `JSONDecoder` can read it, or say what is wrong with it.
    ///
    /// Unlike an answer's, its unknown members are refused: they could occur twice.
    package init?(quickly json: Data) {
        guard let request = JSONReader.read(json, skipsUnknown: false, { try SyncRequest(&$0) }) else { return nil }
        self = request
    }

    private init(_ reader: inout JSONReader) throws {
        var (account, device, acknowledged): (AccountID?, DeviceID?, Acknowledgement?)
        var (sent, mutations): (Int64?, [Mutation]?)
        var (token, reread, kind): (String?, [FeedID]?, String?)
        try reader.object { reader, name in
            switch name {
            case "account": try reader.once(&account) { try $0.id() }
            case "device": try reader.once(&device) { try $0.id() }
            case "acknowledged": try reader.once(&acknowledged) { try Acknowledgement(&$0) }
            case "sent": try reader.once(&sent) { try $0.integer() }
            case "mutations": try reader.once(&mutations) { try $0.all { try Mutation(&$0) } }
            case "token": try reader.once(&token) { try $0.text() }
            case "reread": try reader.once(&reread) { try $0.all { try $0.id() } }
            case "kind": try reader.once(&kind) { try $0.text() }
            default: try reader.skip()
            }
        }
        self.init(
            account: try account.orRefuse(), device: try device.orRefuse(), acknowledged: try acknowledged.orRefuse(),
            sent: try sent.orRefuse(), mutations: try mutations.orRefuse(),
            token: token.map { SyncToken(rawValue: $0) },
            reread: reread, kind: kind)
    }

    /// The request in JSON, as `Codable` reads it.
    package var json: Data {
        var json = JSONWriter()
        json.object { json in
            json.member("account") { $0.id(account) }
            json.member("device") { $0.id(device) }
            json.member("acknowledged") { acknowledged.write(to: &$0) }
            json.member("sent") { $0.integer(sent) }
            json.member("mutations") { $0.array(mutations) { $1.write(to: &$0) } }
            if let token { json.member("token") { $0.text(token.rawValue) } }
            if let reread { json.member("reread") { $0.array(reread) { $0.id($1) } } }
            if let kind { json.member("kind") { $0.text(kind) } }
        }
        return Data(json.bytes)
    }
}

extension Mutation {
    fileprivate init(_ reader: inout JSONReader) throws {
        var (id, number, group): (MutationID?, Int64?, Int64?)
        var (feed, collection, record): (FeedID?, String?, RecordID<Never>?)
        var (seen, age, ages): (Int64?, Int64?, [String: Int64]?)
        var (set, add, delete): (Fields?, [String: Int64]?, Bool?)
        try reader.object { reader, name in
            switch name {
            case "id": try reader.once(&id) { try $0.id() }
            case "number": try reader.once(&number) { try $0.integer() }
            case "group": try reader.once(&group) { try $0.integer() }
            case "feed": try reader.once(&feed) { try $0.id() }
            case "collection": try reader.once(&collection) { try $0.text() }
            case "record": try reader.once(&record) { try $0.id() }
            case "seen": try reader.once(&seen) { try $0.integer() }
            case "age": try reader.once(&age) { try $0.integer() }
            case "ages": try reader.once(&ages) { try $0.integers() }
            case "set": try reader.once(&set) { try $0.fields() }
            case "add": try reader.once(&add) { try $0.integers() }
            case "delete": try reader.once(&delete) { try $0.flag() }
            default: try reader.skip()
            }
        }
        guard delete ?? false == (set == nil && add == nil) else { throw JSONReader.Unreadable() }
        self.init(
            id: try id.orRefuse(), number: try number.orRefuse(), group: group, feed: try feed.orRefuse(),
            collection: RecordCollection(rawValue: try collection.orRefuse()), record: try record.orRefuse(),
            seen: try seen.orRefuse(), age: try age.orRefuse(), ages: ages ?? [:],
            change: delete == true ? .delete : .edit(set: set ?? [:], add: add ?? [:]))
    }

    /// Writes a mutation, without empty properties.
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id") { $0.id(id) }
            json.member("number") { $0.integer(number) }
            json.member("feed") { $0.id(feed) }
            json.member("collection") { $0.text(collection.rawValue) }
            json.member("record") { $0.id(record) }
            json.member("seen") { $0.integer(seen) }
            json.member("age") { $0.integer(age) }
            if let group { json.member("group") { $0.integer(group) } }
            if !ages.isEmpty { json.member("ages") { $0.integers(ages) } }
            switch change {
            case .edit(let set, let add):
                if !set.isEmpty || add.isEmpty { json.member("set") { $0.fields(set) } }
                if !add.isEmpty { json.member("add") { $0.integers(add) } }
            case .delete: json.member("delete") { $0.flag(true) }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func integers(_ integers: [String: Int64]) { fields(integers.mapValues(FieldValue.integer)) }
}
