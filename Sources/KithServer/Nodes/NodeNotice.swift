import Foundation
package import KithModel

/// What one node tells the others at once: the payload of one `NOTIFY`.
///
/// The form is JSON with short names, in which a set of ids is one text of 22 characters for each id. Names that a node
/// does not know are ignored. If a new version cannot be read by older nodes, its number is higher, and they look for
/// what has changed instead. It is written and read by hand, because `Codable` would take most of the time.
package struct NodeNotice: Hashable, Sendable {
    /// PostgreSQL's limit is 8,000 bytes, including one that it adds.
    package static let longest = 7_999
    /// The channel of all nodes of a database.
    static let channel = "kith_nodes"
    private static let version: Int64 = 1

    /// The node that tells it.
    package var node: NodeID
    /// The feeds that have moved.
    package var moved: [FeedID: Mover] = [:]
    /// The other signals.
    package var signals = Signals()
    /// Changes of presence at the node.
    package var presence: [PresenceChange] = []
    /// The number of transactions that have changed the node's stored presence, up to this notice.
    package var changes: Int64?
    /// The number of this notice, if it is stored.
    package var number: Int64?
    /// Whether more feeds have moved than are named: they are found in the database.
    package var hasMoreFeeds = false
    /// Whether the node has forgotten signals: the others end their streams.
    package var isLost = false

    package init(_ node: NodeID) {
        self.node = node
    }

    /// The notice in a text; nil if the text cannot be read, or has a later version.
    package init?(_ text: String) {
        guard let notice = JSONReader.read(Data(text.utf8), { try Self.read(&$0) }) else { return nil }
        self = notice
    }

    /// The text of the notice.
    package var text: String {
        var json = JSONWriter()
        json.object { write(to: &$0) }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

// MARK: The form

extension NodeNotice {
    /// The topics that nodes of every version name. Earlier versions have one flag for all others.
    private static let alwaysNamed: Set<Signals.Topic> = [.profiles, .closedLists]

    private func write(to json: inout JSONWriter) {
        json.member("v") { $0.integer(Self.version) }
        json.member("n") { $0.text(node.text) }
        json.list("m", Dictionary(grouping: moved.keys) { moved[$0] ?? .others }) { json, group in
            if case .device(let device) = group.key {
                json.ids("d", [device.id])
                json.ids("a", [device.account])
            }
            json.ids("f", group.value)
        }
        json.ids("g", signals.changedPages)
        json.ids("c", signals.circles)
        json.list("w", signals.choices) { json, choice in
            json.member("s") { $0.text(choice.state.rawValue) }
            json.ids("a", [choice.account])
            json.ids("d", [choice.device])
        }
        if !signals.topics.isEmpty {
            json.member("j") { $0.array(signals.topics.map(\.name).sorted()) { $0.text($1) } }
        }
        json.flag("b", !signals.topics.isSubset(of: Self.alwaysNamed))
        json.ids("s", signals.closedSessions)
        json.ids("a", signals.closedAccounts)
        json.ids("l", signals.changedSessions)
        json.ids("k", signals.changedKinds)
        json.list("p", Dictionary(grouping: presence) { Moment(state: $0.state, time: $0.time) }) { json, group in
            json.member("s") { $0.text(group.key.state.rawValue) }
            json.member("t") { $0.integer(group.key.time.milliseconds) }
            json.ids("a", group.value.map(\.account))
        }
        if let changes { json.member("x") { $0.integer(changes) } }
        if let number { json.member("i") { $0.integer(number) } }
        json.flag("h", hasMoreFeeds)
        json.flag("z", isLost)
    }

    private static func read(_ reader: inout JSONReader) throws -> NodeNotice {
        var (version, node): (Int64?, NodeID?) = (nil, nil)
        var hasOtherTopics = false
        var notice = NodeNotice(NodeID(""))
        try reader.object { reader, name in
            switch name {
            case "v": version = try reader.integer()
            case "n": node = NodeID(try reader.text())
            case "m": try reader.array { try notice.readMoved(&$0) }
            case "g": notice.signals.changedPages = Set(try reader.ids())
            case "c": notice.signals.circles = Set(try reader.ids())
            case "w": try reader.array { try notice.readChoice(&$0) }
            case "j": notice.signals.topics = Set(try reader.all { Signals.Topic(try $0.text()) })
            case "b": hasOtherTopics = try reader.flag()
            case "s": notice.signals.closedSessions = Set(try reader.ids())
            case "a": notice.signals.closedAccounts = Set(try reader.ids())
            case "l": notice.signals.changedSessions = Set(try reader.ids())
            case "k": notice.signals.changedKinds = Set(try reader.ids())
            case "p": try reader.array { try notice.readPresence(&$0) }
            case "x": notice.changes = try reader.integer()
            case "i": notice.number = try reader.integer()
            case "h": notice.hasMoreFeeds = try reader.flag()
            case "z": notice.isLost = try reader.flag()
            default: try reader.skip()
            }
        }
        if hasOtherTopics, notice.signals.topics.isSubset(of: Self.alwaysNamed) {
            notice.signals.topics.insert(.unnamed)
        }
        notice.node = try node.orRefuse()
        return try (version == Self.version ? notice : nil).orRefuse()
    }

    /// Feeds that one device has moved, or that others have. Nodes of earlier versions name no account, and everyone is
    /// told.
    private mutating func readMoved(_ reader: inout JSONReader) throws {
        var (device, account, feeds): (DeviceID?, AccountID?, [FeedID]) = (nil, nil, [])
        try reader.object { reader, name in
            switch name {
            case "d": device = try (reader.ids() as [DeviceID]).first
            case "a": account = try (reader.ids() as [AccountID]).first
            case "f": feeds = try reader.ids()
            default: try reader.skip()
            }
        }
        let mover = device.flatMap { id in account.map { Mover.device(AccountDevice(id, of: $0)) } } ?? .others
        for feed in feeds { moved[feed] = mover }
    }

    /// The presence that a device has chosen.
    private mutating func readChoice(_ reader: inout JSONReader) throws {
        var (state, account, device): (Presence.State?, AccountID?, DeviceID?) = (nil, nil, nil)
        try reader.object { reader, name in
            switch name {
            case "s": state = Presence.State(rawValue: try reader.text())
            case "a": account = try (reader.ids() as [AccountID]).first
            case "d": device = try (reader.ids() as [DeviceID]).first
            default: try reader.skip()
            }
        }
        guard let state, let account, let device else { return }
        signals.choices.insert(PresenceChoice(state, of: account, device))
    }

    /// Accounts whose presence has changed in the same way at the same time.
    private mutating func readPresence(_ reader: inout JSONReader) throws {
        var (state, time, accounts): (Presence.State?, Timestamp?, [AccountID]) = (nil, nil, [])
        try reader.object { reader, name in
            switch name {
            case "s": state = Presence.State(rawValue: try reader.text())
            case "t": time = Timestamp(milliseconds: try reader.integer())
            case "a": accounts = try reader.ids()
            default: try reader.skip()
            }
        }
        guard let state, let time else { return }
        presence += accounts.map { PresenceChange($0, state, at: time) }
    }

    private struct Moment: Hashable {
        let state: Presence.State
        let time: Timestamp
    }
}

extension Signals.Topic {
    /// Topics that a node of an earlier version does not name.
    package static let unnamed = Self("unnamed")
}

// Members with nothing in them are left out.

extension JSONWriter {
    /// Writes ids as one text.
    fileprivate mutating func ids<Record>(_ name: StaticString, _ ids: some Collection<RecordID<Record>>) {
        if ids.isEmpty { return }
        member(name) { $0.text(ids.sorted().reduce(into: Data()) { $0.append($1.uuid.data) }.base64URL) }
    }

    /// Writes an array of objects.
    fileprivate mutating func list<Elements: Collection>(
        _ name: StaticString, _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        if elements.isEmpty { return }
        member(name) { json in json.array(elements) { json, element in json.object { write(&$0, element) } } }
    }

    /// Writes a flag.
    fileprivate mutating func flag(_ name: StaticString, _ flag: Bool) {
        if flag { member(name) { $0.flag(flag) } }
    }
}

extension JSONReader {
    /// Reads ids that were written as one text.
    fileprivate mutating func ids<Record>() throws -> [RecordID<Record>] {
        let bytes = try Data(base64URL: text()).orRefuse()
        return try stride(from: 0, to: bytes.count, by: 16)
            .map { RecordID(try UUID(bytes: bytes.dropFirst($0).prefix(16)).orRefuse()) }
    }
}
