package import KithModel

/// Who listens to which feeds, and what each has yet to be told.
///
/// What waits for a listener is gathered: however many signals come while the
/// last event is being written, they make one event. Beyond
/// ``waiting`` feeds only "everything may have moved" is kept.
package struct LiveRegister: Sendable {
    /// The most feeds that wait for one listener.
    package static let waiting = 100

    package typealias ID = Int

    /// What a listener is to be told, all at once.
    package struct Batch: Hashable, Sendable {
        /// The feeds that have moved.
        package var feeds: Set<FeedID> = []
        /// So many have moved that they were not kept.
        package var isEverything = false
        /// The account's own feed has moved, so it may read other feeds than before: ask which, then tell.
        package var needsFeeds = false
        /// Nothing was told for a while; a sign of life is due.
        package var needsComment = false
        /// The session or the server has ended, and so does the stream.
        package var isEnd = false

        package init(
            feeds: Set<FeedID> = [], isEverything: Bool = false, needsFeeds: Bool = false, needsComment: Bool = false,
            isEnd: Bool = false
        ) {
            self.feeds = feeds
            self.isEverything = isEverything
            self.needsFeeds = needsFeeds
            self.needsComment = needsComment
            self.isEnd = isEnd
        }
    }

    private struct Listener {
        let account: AccountID
        let device: DeviceID
        let session: String
        var feeds: Set<FeedID>
        var batch = Batch()
    }

    private var listeners: [ID: Listener] = [:]
    private var byFeed: [FeedID: Set<ID>] = [:]
    private var bySession: [String: Set<ID>] = [:]
    private var last = 0

    package init() {}

    package var count: Int { listeners.count }

    /// How many listeners a session has.
    package func count(of session: String) -> Int { bySession[session]?.count ?? 0 }

    /// Adds a listener, to its account's own feed at first.
    package mutating func add(_ account: AccountID, _ device: DeviceID, session: String) -> ID {
        last += 1
        let own: FeedID = account.retyped()
        listeners[last] = Listener(account: account, device: device, session: session, feeds: [own])
        byFeed[own, default: []].insert(last)
        bySession[session, default: []].insert(last)
        return last
    }

    package mutating func remove(_ id: ID) {
        guard let listener = listeners.removeValue(forKey: id) else { return }
        for feed in listener.feeds { byFeed.leave(feed, id) }
        bySession.leave(listener.session, id)
    }

    /// Sets which feeds a listener hears of; its account's own is always among them.
    package mutating func listen(_ id: ID, to feeds: Set<FeedID>) {
        guard let listener = listeners[id] else { return }
        let feeds = feeds.union([listener.account.retyped()])
        for gone in listener.feeds.subtracting(feeds) { byFeed.leave(gone, id) }
        for new in feeds.subtracting(listener.feeds) { byFeed[new, default: []].insert(id) }
        listeners[id]?.feeds = feeds
    }

    /// Notes that feeds have moved.
    ///
    /// - Parameters:
    ///   - feeds: Which.
    ///   - device: Whose doing it was; that device is not told. It still asks again which feeds there are, to
    ///     hear of others' doings in a list that it has just made.
    /// - Returns: The listeners that now have something to be told.
    package mutating func moved(_ feeds: Set<FeedID>, by device: DeviceID?) -> Set<ID> {
        var woken: Set<ID> = []
        for feed in feeds {
            for id in byFeed[feed] ?? [] {
                guard var listener = listeners[id] else { continue }
                let isOwn = feed == listener.account.retyped()
                if isOwn { listener.batch.needsFeeds = true }
                if listener.device != device { listener.batch.add(feed) }
                guard isOwn || listener.device != device else { continue }
                listeners[id] = listener
                woken.insert(id)
            }
        }
        return woken
    }

    /// Notes that a sign of life is due to everyone.
    package mutating func beat() -> Set<ID> {
        for id in listeners.keys { listeners[id]?.batch.needsComment = true }
        return Set(listeners.keys)
    }

    /// Notes that the streams of a session end, or all of them.
    package mutating func end(session: String? = nil) -> Set<ID> {
        let ending = session.map { bySession[$0] ?? [] } ?? Set(listeners.keys)
        for id in ending { listeners[id]?.batch.isEnd = true }
        return ending
    }

    /// Notes that the streams of an account end. It hears of its own feed in each of them.
    package mutating func end(account: AccountID) -> Set<ID> {
        let ending = (byFeed[account.retyped()] ?? []).filter { listeners[$0]?.account == account }
        for id in ending { listeners[id]?.batch.isEnd = true }
        return ending
    }

    /// Notes that one stream ends.
    package mutating func end(_ id: ID) { listeners[id]?.batch.isEnd = true }

    /// Takes what a listener is to be told. Nothing is told twice.
    package mutating func take(_ id: ID) -> Batch {
        guard let batch = listeners[id]?.batch else { return Batch(isEnd: true) }
        listeners[id]?.batch = Batch()
        return batch
    }
}

extension LiveRegister.Batch {
    fileprivate mutating func add(_ feed: FeedID) {
        if isEverything { return }
        feeds.insert(feed)
        if feeds.count > LiveRegister.waiting {
            feeds = []
            isEverything = true
        }
    }
}

extension Dictionary where Value == Set<LiveRegister.ID> {
    /// Takes a listener out of the set under `key`, and an empty set out of the dictionary.
    fileprivate mutating func leave(_ key: Key, _ id: LiveRegister.ID) {
        self[key]?.remove(id)
        if self[key]?.isEmpty == true { self[key] = nil }
    }
}
