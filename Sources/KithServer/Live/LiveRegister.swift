package import KithModel

/// The listeners of each feed, and the pending news of each listener.
///
/// The pending news of a listener is combined: all signals that arrive while the last event is being written become one
/// event. Beyond ``waiting`` feeds, the register stores only "everything may have moved".
package struct LiveRegister: Sendable {
    /// The maximum number of pending feeds of one listener.
    package static let waiting = 100

    package typealias ID = Int

    /// The pending news of a listener.
    package struct Batch: Hashable, Sendable {
        /// The feeds that have moved.
        package var feeds: Set<FeedID> = []
        /// Whether more feeds have moved than the register stores.
        package var isEverything = false
        /// Whether the account's own feed has moved. The account may then read other feeds than before: read which,
        /// then send the event.
        package var needsFeeds = false
        /// Whether the account's list of sessions has changed.
        package var hasNewSessions = false
        /// Whether the stream ends because the session or the server has ended.
        package var isEnd = false

        package init(
            feeds: Set<FeedID> = [], isEverything: Bool = false, needsFeeds: Bool = false, isEnd: Bool = false
        ) {
            self.feeds = feeds
            self.isEverything = isEverything
            self.needsFeeds = needsFeeds
            self.isEnd = isEnd
        }
    }

    private struct Listener {
        let device: AccountDevice
        let session: String
        /// When it was added, in the server's uptime.
        let added: Duration
        var feeds: Set<FeedID>
        var batch = Batch()

        var account: AccountID { device.account }
    }

    private var listeners: [ID: Listener] = [:]
    private var byFeed: [FeedID: Set<ID>] = [:]
    private var bySession: [String: Set<ID>] = [:]
    private var last = 0

    package init() {}

    package var count: Int { listeners.count }

    /// The sessions that have listeners.
    var sessions: Set<String> { Set(bySession.keys) }

    /// The number of listeners of a session, without those that end.
    package func count(of session: String) -> Int { staying(of: session).count }

    private func staying(of session: String) -> Set<ID> {
        (bySession[session] ?? []).filter { listeners[$0]?.batch.isEnd == false }
    }

    /// Adds a listener. At first, it listens only to its account's own feed.
    package mutating func add(
        _ account: AccountID, _ device: DeviceID, session: String, at now: Duration = .zero
    ) -> ID {
        last += 1
        let own: FeedID = account.retyped()
        listeners[last] = Listener(
            device: AccountDevice(device, of: account), session: session, added: now, feeds: [own])
        byFeed[own, default: []].insert(last)
        bySession[session, default: []].insert(last)
        return last
    }

    package mutating func remove(_ id: ID) {
        guard let listener = listeners.removeValue(forKey: id) else { return }
        for feed in listener.feeds { byFeed.leave(feed, id) }
        bySession.leave(listener.session, id)
    }

    /// Sets the feeds of a listener. Its account's own feed is always included.
    package mutating func listen(_ id: ID, to feeds: Set<FeedID>) {
        guard let listener = listeners[id] else { return }
        let feeds = feeds.union([listener.account.retyped()])
        for gone in listener.feeds.subtracting(feeds) { byFeed.leave(gone, id) }
        for new in feeds.subtracting(listener.feeds) { byFeed[new, default: []].insert(id) }
        listeners[id]?.feeds = feeds
    }

    /// Records that feeds have moved.
    ///
    /// - Parameters:
    ///   - feeds: The moved feeds.
    ///   - device: The device that caused the moves; it is not notified. It still reads the list of feeds again, to
    ///     receive others' changes in a list that it has just created.
    /// - Returns: The listeners that now have news.
    package mutating func moved(_ feeds: Set<FeedID>, by device: AccountDevice?) -> Set<ID> {
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

    /// Records that the streams of a session end, or all streams.
    package mutating func end(session: String? = nil) -> Set<ID> {
        let ending = session.map { bySession[$0] ?? [] } ?? Set(listeners.keys)
        for id in ending { listeners[id]?.batch.isEnd = true }
        return ending
    }

    /// Records that the streams of an account end. Each of them listens to the account's own feed.
    package mutating func end(account: AccountID) -> Set<ID> {
        let ending = (byFeed[account.retyped()] ?? []).filter { listeners[$0]?.account == account }
        for id in ending { listeners[id]?.batch.isEnd = true }
        return ending
    }

    /// Records that an account's list of sessions has changed.
    package mutating func sessionsChanged(of account: AccountID) -> Set<ID> {
        let ids = (byFeed[account.retyped()] ?? []).filter { listeners[$0]?.account == account }
        for id in ids { listeners[id]?.batch.hasNewSessions = true }
        return ids
    }

    /// Records that one stream ends.
    package mutating func end(_ id: ID) { listeners[id]?.batch.isEnd = true }

    /// The oldest stream of a session's device, without those that end.
    ///
    /// - Returns: The listener; nil if the device has none that was added until `time`.
    package func oldest(of session: String, _ device: DeviceID, addedUntil time: Duration) -> ID? {
        let oldest = staying(of: session).filter { listeners[$0]?.device.id == device }.min()
        guard let oldest, let listener = listeners[oldest], listener.added <= time else { return nil }
        return oldest
    }

    /// Takes the pending news of a listener. Nothing is sent twice, but a stream that ends stays one.
    package mutating func take(_ id: ID) -> Batch {
        guard let batch = listeners[id]?.batch else { return Batch(isEnd: true) }
        listeners[id]?.batch = Batch(isEnd: batch.isEnd)
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
    /// Removes a listener from the set under `key`, and removes an empty set from the dictionary.
    fileprivate mutating func leave(_ key: Key, _ id: LiveRegister.ID) {
        self[key]?.remove(id)
        if self[key]?.isEmpty == true { self[key] = nil }
    }
}
