package import KithModel
import Synchronization

/// Carries the news that feeds have moved, and of who is online, to the open streams.
///
/// A shell around ``LiveRegister`` and ``PresenceRegister``: it adds one bell a stream. Call
/// ``moved(_:by:)`` after the commit, never before it: who hears it asks at once.
package final class LiveHub: Sendable {
    private struct State {
        var register = LiveRegister()
        var presence = PresenceRegister()
        var bells: [LiveRegister.ID: AsyncStream<Void>.Continuation] = [:]
        var streams: FairShare<IPAddress>
        var households: [LiveRegister.ID: IPAddress] = [:]
        var isClosed = false
    }

    private let state: Mutex<State>
    private let streamsOfSession: Int
    private let clock: ServerClock

    package init(streamsOfSession: Int, streamsAtOnce: Int, clock: ServerClock = .system) {
        self.streamsOfSession = streamsOfSession
        state = Mutex(State(streams: FairShare(total: streamsAtOnce)))
        self.clock = clock
    }

    /// How many streams are open.
    package var count: Int { state.withLock { $0.register.count } }

    /// Opens a stream that hears of the account's own feed, and of others from ``LiveStream/listen(to:)`` on. Of people
    /// it hears, and people of it, from ``arrive(_:in:)`` on.
    package func open(
        _ account: AccountID, _ device: DeviceID, session: String, from address: IPAddress,
        as shown: Presence.State = .online
    ) throws(ServerError) -> LiveStream {
        let (bell, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let household = address.household
        let opened: Result<LiveRegister.ID, ServerError> = state.withLock { state in
            if state.isClosed { return .failure(.closing) }
            if state.register.count(of: session) >= streamsOfSession {
                let sentence = "This session has \(streamsOfSession) live streams open. Close one first."
                return .failure(ServerError(.tooFast, sentence, retryAfter: .seconds(20)))
            }
            guard state.streams.take(by: household) else { return .failure(.crowded) }
            let id = state.register.add(account, device, session: session)
            state.bells[id] = continuation
            state.households[id] = household
            return .success(id)
        }
        return LiveStream(
            id: try opened.get(), account: account, device: device, state: shown, bell: bell, hub: self)
    }

    /// Tells that feeds have moved, and by which device, which is not told.
    package func moved(_ feeds: Set<FeedID>, by device: DeviceID? = nil) {
        if feeds.isEmpty { return }
        ring { $0.moved(feeds, by: device) }
    }

    /// Has every stream give a sign of life.
    package func beat() { ring { $0.beat() } }

    /// Ends the streams of a session that was logged out.
    package func end(session: String) { ring { $0.end(session: session) } }

    /// Ends the streams of an account that was deleted.
    package func end(account: AccountID) { ring { $0.end(account: account) } }

    /// Ends every stream, and opens no more.
    package func close() {
        state.withLock { $0.isClosed = true }
        ring { $0.end() }
    }

    fileprivate func end(_ id: LiveRegister.ID) {
        ring { register in
            register.end(id)
            return [id]
        }
    }

    fileprivate func take(_ id: LiveRegister.ID) -> LiveStream.News {
        state.withLock { LiveStream.News(feeds: $0.register.take(id), presence: $0.presence.take(id)) }
    }

    fileprivate func listen(_ id: LiveRegister.ID, to feeds: Set<FeedID>) {
        state.withLock { $0.register.listen(id, to: feeds) }
    }

    fileprivate func remove(_ id: LiveRegister.ID) {
        let bell = state.withLock { state in
            state.register.remove(id)
            if let household = state.households.removeValue(forKey: id) { state.streams.giveBack(by: household) }
            return state.bells.removeValue(forKey: id)
        }
        bell?.finish()
        ring { $0.close(id, at: $1) }
    }

    func withPresence<Value>(_ body: (inout PresenceRegister) -> Value) -> Value {
        state.withLock { body(&$0.presence) }
    }

    /// Changes who is there, and rings where that is news.
    func ring(_ change: (inout PresenceRegister, Timestamp) -> Set<LiveRegister.ID>) {
        let now = clock.time()
        let bells = state.withLock { state in change(&state.presence, now).compactMap { state.bells[$0] } }
        for bell in bells { bell.yield() }
    }

    private func ring(_ change: (inout LiveRegister) -> Set<LiveRegister.ID>) {
        let bells = state.withLock { state in change(&state.register).compactMap { state.bells[$0] } }
        for bell in bells { bell.yield() }
    }
}

/// One open stream. The hub forgets it when the last reference goes, so a stream that was never written ends too.
package final class LiveStream: Sendable {
    /// What there is to tell, all at once.
    package struct News: Hashable, Sendable {
        /// Of feeds, and of the stream itself.
        package var feeds: LiveRegister.Batch
        /// Of people; nil if there is nothing.
        package var presence: PresenceEvent?
    }

    let id: LiveRegister.ID
    package let account: AccountID
    let device: DeviceID
    /// What its device is shown as at first.
    let state: Presence.State
    private let bell: AsyncStream<Void>
    private let hub: LiveHub

    fileprivate init(
        id: LiveRegister.ID, account: AccountID, device: DeviceID, state: Presence.State, bell: AsyncStream<Void>,
        hub: LiveHub
    ) {
        self.id = id
        self.account = account
        self.device = device
        self.state = state
        self.bell = bell
        self.hub = hub
    }

    deinit { hub.remove(id) }

    /// Sets which feeds the stream hears of.
    package func listen(to feeds: Set<FeedID>) { hub.listen(id, to: feeds) }

    /// Ends the stream: its reader has gone.
    package func end() { hub.end(id) }

    /// Waits until there is something to tell.
    ///
    /// - Returns: nil when the stream ends.
    package func next() async -> News? {
        for await _ in bell {
            let news = hub.take(id)
            return news.feeds.isEnd ? nil : news
        }
        return nil
    }
}
