import Foundation
package import KithModel

/// What one node tells the others at once: the payload of one `NOTIFY`.
///
/// The form is JSON with short names, in which a set of ids is one text of 22 characters for each id. Names that a node
/// does not know are ignored. If a new version cannot be read by older nodes, its number is higher, and they look for
/// what has changed instead.
package struct NodeNotice: Hashable, Sendable {
    /// PostgreSQL's limit is 8,000 bytes, including one that it adds.
    package static let longest = 7_999
    /// The channel of all nodes of a database.
    static let channel = "kith_nodes"
    private static let version = 1

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
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(text.utf8)), form.v == Self.version else {
            return nil
        }
        node = form.n
        for group in form.m ?? [] {
            let mover = group.d?.first.map { Mover.device($0) } ?? .others
            for feed in group.f { moved[feed] = mover }
        }
        signals = Signals(
            changedPages: form.g?.set ?? [], jobs: Set((form.j ?? []).map { Signals.Job($0) }),
            hasBackgroundWork: form.b ?? false, closedSessions: form.s?.set ?? [], closedAccounts: form.a?.set ?? [],
            changedSessions: form.l?.set ?? [], changedKinds: form.k?.set ?? [])
        signals.circles = form.c?.set ?? []
        for chosen in form.w ?? [] {
            guard let state = Presence.State(rawValue: chosen.s), let account = chosen.a.first,
                let device = chosen.d.first
            else { continue }
            signals.choices.insert(PresenceChoice(state, of: account, device))
        }
        for group in form.p ?? [] {
            guard let state = Presence.State(rawValue: group.s) else { continue }
            presence += group.a.map { PresenceChange($0, state, at: Timestamp(milliseconds: group.t)) }
        }
        (changes, number) = (form.x, form.i)
        (hasMoreFeeds, isLost) = (form.h ?? false, form.z ?? false)
    }

    /// The text of the notice.
    package var text: String {
        get throws {
            var form = Form(v: Self.version, n: node)
            let groups = Dictionary(grouping: moved.keys) { moved[$0] ?? .others }
            form.m = groups.isEmpty ? nil : groups.map { Moved(d: $0.key.device.map { IDs([$0]) }, f: IDs($0.value)) }
            form.g = IDs(signals.changedPages).orNil
            form.c = IDs(signals.circles).orNil
            form.w = signals.choices.isEmpty ? nil : signals.choices.map { Chosen($0) }
            form.j = signals.jobs.isEmpty ? nil : signals.jobs.map(\.name).sorted()
            form.b = signals.hasBackgroundWork ? true : nil
            form.s = IDs(signals.closedSessions).orNil
            form.a = IDs(signals.closedAccounts).orNil
            form.l = IDs(signals.changedSessions).orNil
            form.k = IDs(signals.changedKinds).orNil
            let changes = Dictionary(grouping: presence) { Moment(state: $0.state, time: $0.time) }
            form.p =
                changes.isEmpty
                ? nil
                : changes.map { moment, changes in
                    Changed(s: moment.state.rawValue, t: moment.time.milliseconds, a: IDs(changes.map(\.account)))
                }
            (form.x, form.i) = (self.changes, number)
            (form.h, form.z) = (hasMoreFeeds ? true : nil, isLost ? true : nil)
            return String(decoding: try JSONEncoder().encode(form), as: UTF8.self)
        }
    }

    // MARK: The form

    private struct Form: Codable {
        /// The version.
        var v: Int
        /// The node.
        var n: NodeID
        /// The moved feeds.
        var m: [Moved]?
        /// The changed pages, as of gifts.
        var g: IDs<Feed>?
        /// The circles.
        var c: IDs<Account>?
        /// What devices have chosen.
        var w: [Chosen]?
        /// The jobs.
        var j: [String]?
        /// Whether there is other background work.
        var b: Bool?
        /// The closed sessions.
        var s: IDs<SessionEntry>?
        /// The closed accounts.
        var a: IDs<Account>?
        /// The accounts whose list of sessions has changed.
        var l: IDs<Account>?
        /// The accounts whose kind has changed.
        var k: IDs<Account>?
        /// The changes of presence.
        var p: [Changed]?
        /// The number of changes of presence.
        var x: Int64?
        /// The number of the notice.
        var i: Int64?
        /// Whether more feeds have moved than are named.
        var h: Bool?
        /// Whether signals were forgotten.
        var z: Bool?
    }

    /// Feeds that one device has moved, or that others have.
    private struct Moved: Codable {
        var d: IDs<Device>?
        var f: IDs<Feed>
    }

    /// Accounts whose presence has changed in the same way at the same time.
    private struct Changed: Codable {
        var s: String
        var t: Int64
        var a: IDs<Account>
    }

    /// The presence that a device has chosen.
    private struct Chosen: Codable {
        var s: String
        var a: IDs<Account>
        var d: IDs<Device>

        init(_ choice: PresenceChoice) {
            (s, a, d) = (choice.state.rawValue, IDs([choice.account]), IDs([choice.device]))
        }
    }

    private struct Moment: Hashable {
        let state: Presence.State
        let time: Timestamp
    }

    /// Ids as one text.
    private struct IDs<Record>: Codable, Sequence {
        let ids: [RecordID<Record>]

        init(_ ids: some Sequence<RecordID<Record>>) {
            self.ids = ids.sorted()
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let bytes = Data(base64URL: try container.decode(String.self)).map { [UInt8]($0) } ?? [0]
            guard bytes.count % 16 == 0 else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "These are no ids.")
            }
            ids = stride(from: 0, to: bytes.count, by: 16)
                .compactMap { UUID(bytes: bytes[$0..<$0 + 16]).map { RecordID($0) } }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(ids.reduce(into: Data()) { $0.append($1.uuid.data) }.base64URL)
        }

        func makeIterator() -> IndexingIterator<[RecordID<Record>]> { ids.makeIterator() }

        var set: Set<RecordID<Record>> { Set(ids) }

        var first: RecordID<Record>? { ids.first }

        var orNil: Self? { ids.isEmpty ? nil : self }
    }
}

extension Mover {
    /// The device, if it is one.
    fileprivate var device: DeviceID? {
        if case .device(let device) = self { return device }
        return nil
    }
}
