package import Foundation

extension SyncRequest {
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
}
