package import KithModel

/// What a node has to tell the others: the signals of some commits, gathered.
///
/// It is bounded. Instead of very many feeds, the others are told to look in the database. If other signals are too
/// many, which only happens while the database is away for long, the others are told that some are lost.
package struct NodeNews: Hashable, Sendable {
    /// The most feeds that are named.
    package static let feeds = 1_000
    /// The most other ids that are kept.
    package static let others = 20_000

    /// The feeds that have moved.
    package private(set) var moved: [FeedID: Mover] = [:]
    /// The other signals.
    package private(set) var signals = Signals()
    /// Whether more feeds have moved than are named.
    package private(set) var hasMoreFeeds = false
    /// Whether other signals were forgotten.
    package private(set) var isLost = false

    package init() {}

    package var isEmpty: Bool { self == Self() }

    /// Adds the signals of a commit.
    package mutating func add(_ signals: Signals, by device: AccountDevice? = nil) {
        let mover = device.map { Mover.device($0) } ?? .others
        for feed in signals.moved { add(feed, by: mover) }
        var others = signals
        others.moved = []
        addOthers(others)
    }

    /// Adds other news.
    package mutating func formUnion(_ other: NodeNews) {
        for (feed, mover) in other.moved { add(feed, by: mover) }
        addOthers(other.signals)
        isLost = isLost || other.isLost
        if other.hasMoreFeeds { forgetFeeds() }
    }

    private mutating func add(_ feed: FeedID, by mover: Mover) {
        if hasMoreFeeds { return }
        let known = moved[feed] ?? mover
        moved[feed] = known == mover ? mover : .others
        if moved.count > Self.feeds { forgetFeeds() }
    }

    private mutating func forgetFeeds() {
        moved = [:]
        hasMoreFeeds = true
    }

    private mutating func addOthers(_ others: Signals) {
        signals.formUnion(others)
        guard signals.ids > Self.others else { return }
        signals = Signals(topics: signals.topics)
        isLost = true
    }

    // MARK: Notices

    /// The notices that tell the news.
    ///
    /// - Parameters:
    ///   - node: The node that tells it.
    ///   - presence: The changes of presence at the node.
    ///   - changes: The number of these changes.
    /// - Returns: First those that must be stored, because their signals are found nowhere else; then the others.
    package func notices(
        from node: NodeID, presence: [PresenceChange] = [], changes: Int64? = nil
    ) -> (stored: [NodeNotice], others: [NodeNotice]) {
        var stored = Packing(NodeNotice(node))
        stored.pack(signals.closedSessions, at: \.closedSessions)
        stored.pack(signals.closedAccounts, at: \.closedAccounts)
        stored.pack(signals.changedSessions, at: \.changedSessions)
        stored.pack(signals.changedKinds, at: \.changedKinds)
        stored.pack(signals.changedPages, at: \.changedPages)
        for choice in signals.choices { stored.put(100) { $0.signals.choices.insert(choice) } }
        if isLost { stored.put(10) { $0.isLost = true } }

        var first = NodeNotice(node)
        first.changes = changes
        var others = Packing(first)
        if changes != nil { others.put(0) { _ in } }
        let groups = Dictionary(grouping: moved) { $0.value }
        for (mover, feeds) in groups.sorted(by: { $0.value.count > $1.value.count }) {
            for (index, feed) in feeds.enumerated() {
                // The first has the device, too. Each notice names it again, for which there is a reserve.
                let size = Packing.id + (index == 0 && mover != .others ? 80 : 0)
                others.put(size, reserve: mover == .others ? 0 : 80) { $0.moved[feed.key] = mover }
            }
        }
        if hasMoreFeeds { others.put(10) { $0.hasMoreFeeds = true } }
        others.pack(signals.circles, at: \.circles)
        for topic in signals.topics.sorted(by: { $0.name < $1.name }) {
            others.put(2 * topic.name.utf8.count + 8) { $0.signals.topics.insert(topic) }
        }
        for change in presence { others.put(100) { $0.presence.append(change) } }
        return (stored.notices, others.notices)
    }

    /// Fills notices up to the limit of their length.
    private struct Packing {
        /// The characters of one id.
        static let id = 22
        /// The characters of all names and numbers of a notice.
        static let frame = 300

        private let empty: NodeNotice
        private(set) var notices: [NodeNotice] = []
        private var room = 0

        init(_ empty: NodeNotice) { self.empty = empty }

        mutating func put(_ size: Int, reserve: Int = 0, _ body: (inout NodeNotice) -> Void) {
            if notices.isEmpty || room < size {
                notices.append(empty)
                room = NodeNotice.longest - Self.frame - reserve
            }
            room -= size
            body(&notices[notices.count - 1])
        }

        mutating func pack<Record>(
            _ ids: Set<RecordID<Record>>, at path: WritableKeyPath<Signals, Set<RecordID<Record>>>
        ) {
            for id in ids.sorted() { put(Self.id) { $0.signals[keyPath: path].insert(id) } }
        }
    }
}

extension Signals {
    /// The number of ids besides the moved feeds.
    fileprivate var ids: Int {
        changedPages.count + circles.count + closedSessions.count + closedAccounts.count + changedSessions.count
            + changedKinds.count + choices.count
    }
}
