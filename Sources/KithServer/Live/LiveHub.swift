package import KithModel
import Synchronization

/// Sends moves of feeds and changes of presence to the open streams.
///
/// A wrapper of ``LiveRegister`` and ``PresenceRegister`` that adds one bell per stream. Call ``moved(_:by:)`` only
/// after the commit, because listeners read the changes at once.
package final class LiveHub: Sendable {
    private struct State {
        var register = LiveRegister()
        var presence: PresenceRegister
        var bells: [LiveRegister.ID: StreamBell] = [:]
        var streams: FairShare<IPAddress>
        var limitedAddresses: [LiveRegister.ID: IPAddress] = [:]
        var isClosed = false

        /// Takes a place for a stream of `address`, and gives back that of the stream which ends for it.
        ///
        /// - Returns: Whether there is a place. If not, nothing has changed.
        mutating func takePlace(of address: IPAddress, ending: LiveRegister.ID?) -> Bool {
            guard let ending, let freed = limitedAddresses[ending] else { return streams.take(by: address) }
            var changed = streams
            changed.giveBack(by: freed)
            guard changed.take(by: address) else { return false }
            streams = changed
            limitedAddresses[ending] = nil
            return true
        }
    }

    /// A stream that is younger does not end for another one. So clients that have the same device do not take each other's
    /// streams again and again.
    package static let young = Duration.seconds(20)

    private let state: Mutex<State>
    private let streamsOfSession: Int
    private let clock: ServerClock
    /// This node, if others share the database.
    let node: NodeID?
    /// Called when the other nodes are to be told of a presence.
    private let whenUntold: @Sendable () -> Void
    /// Called when a stream has ended.
    private let whenRemoved: @Sendable () -> Void

    package init(
        streamsOfSession: Int, streamsAtOnce: Int, clock: ServerClock = .system, node: NodeID? = nil,
        whenUntold: @escaping @Sendable () -> Void = {}, whenRemoved: @escaping @Sendable () -> Void = {}
    ) {
        self.streamsOfSession = streamsOfSession
        state = Mutex(
            State(presence: PresenceRegister(node: node), streams: FairShare(total: streamsAtOnce)))
        self.clock = clock
        (self.node, self.whenUntold, self.whenRemoved) = (node, whenUntold, whenRemoved)
    }

    /// The number of open streams.
    package var count: Int { state.withLock { $0.register.count } }

    /// Opens a stream that receives the moves of the account's own feed, and of other feeds from
    /// ``LiveStream/listen(to:)`` on. Presence is sent and received from ``arrive(_:in:)`` on.
    ///
    /// If the session has as many streams as it may have, the oldest one of the same device ends, unless it is ``young``. A
    /// device opens another after its network was lost, of which the server has not heard.
    ///
    /// - Throws: ``ServerError`` with the code `tooFast` if the session has too many streams, `busy` if there are too many of
    ///   the address or in all.
    package func open(
        _ account: AccountID, _ device: DeviceID, session: String, from address: IPAddress,
        as chosen: Presence.State? = nil
    ) throws(ServerError) -> LiveStream {
        let bell = StreamBell()
        let limitedAddress = address.limitedAddress
        let now = clock.uptime()
        let (opened, ended) = state.withLock { state -> (Result<LiveRegister.ID, ServerError>, StreamBell?) in
            if state.isClosed { return (.failure(.closing), nil) }
            var oldest: LiveRegister.ID?
            if state.register.count(of: session) >= streamsOfSession {
                oldest = state.register.oldest(of: session, device, addedUntil: now - Self.young)
                if oldest == nil {
                    let sentence = "This session has \(streamsOfSession) streams. Close one first."
                    return (.failure(ServerError(.tooFast, sentence, retryAfter: Self.young)), nil)
                }
            }
            guard state.takePlace(of: limitedAddress, ending: oldest) else { return (.failure(.crowded), nil) }
            if let oldest { state.register.end(oldest) }
            let id = state.register.add(account, device, session: session, at: now)
            state.bells[id] = bell
            state.limitedAddresses[id] = limitedAddress
            return (.success(id), oldest.flatMap { state.bells[$0] })
        }
        ended?.ring()
        return LiveStream(
            id: try opened.get(), account: account, device: device, presence: chosen, bell: bell, hub: self)
    }

    /// Notifies the streams that feeds have moved. The device that caused the moves is not notified.
    package func moved(_ feeds: Set<FeedID>, by device: AccountDevice? = nil) {
        if feeds.isEmpty { return }
        ring { $0.moved(feeds, by: device) }
    }

    /// Notifies the streams of an account that its list of sessions has changed.
    func sessionsChanged(of account: AccountID) { ring { $0.sessionsChanged(of: account) } }

    /// Ends the streams of a session that was closed.
    package func end(session: String) { ring { $0.end(session: session) } }

    /// Ends the streams of an account that was deleted.
    package func end(account: AccountID) { ring { $0.end(account: account) } }

    /// Ends every stream of now. The devices connect again, and read what they have missed.
    package func endAll() { ring { $0.end() } }

    /// The sessions that have a stream.
    package var sessions: Set<String> { state.withLock { $0.register.sessions } }

    /// Ends every stream. No more streams are opened.
    package func close() {
        state.withLock { $0.isClosed = true }
        ring { $0.end() }
    }

    func end(_ id: LiveRegister.ID) {
        ring { register in
            register.end(id)
            return [id]
        }
    }

    func take(_ id: LiveRegister.ID) -> LiveStream.News {
        state.withLock { LiveStream.News(feeds: $0.register.take(id), presence: $0.presence.take(id)) }
    }

    func listen(_ id: LiveRegister.ID, to feeds: Set<FeedID>) {
        state.withLock { $0.register.listen(id, to: feeds) }
    }

    func remove(_ id: LiveRegister.ID) {
        // The presence ends first. A server that stops waits until no stream is left, and then stores who was seen.
        changePresence { $0.close(id, at: $1) }
        state.withLock { state in
            state.register.remove(id)
            if let limitedAddress = state.limitedAddresses.removeValue(forKey: id) {
                state.streams.giveBack(by: limitedAddress)
            }
            state.bells[id] = nil
        }
        whenRemoved()
    }

    func withPresence<Value>(_ body: (inout PresenceRegister) -> Value) -> Value {
        state.withLock { body(&$0.presence) }
    }

    /// Changes the presence register, and rings the bells of the streams that have news.
    func changePresence(_ change: (inout PresenceRegister, Timestamp) -> Set<LiveRegister.ID>) {
        let now = clock.time()
        let (bells, hasUntold) = state.withLock { state in
            (change(&state.presence, now).compactMap { state.bells[$0] }, state.presence.hasUntold)
        }
        for bell in bells { bell.ring() }
        if hasUntold { whenUntold() }
    }

    private func ring(_ change: (inout LiveRegister) -> Set<LiveRegister.ID>) {
        let bells = state.withLock { state in change(&state.register).compactMap { state.bells[$0] } }
        for bell in bells { bell.ring() }
    }
}

// MARK: - Presence

/// The presence of the people who have a live stream.
extension LiveHub {
    /// How often the last-seen times are stored, if people have gone offline.
    static let writingSeen = Duration.seconds(10)

    /// Announces the account of a new stream, and tells the stream who is online.
    package func arrive(_ stream: LiveStream, in database: any Database) async {
        changePresence { $0.open(stream.id, of: stream.account, stream.device, as: stream.presence, at: $1) }
        await readCircles(of: [stream.account], in: database)
    }

    /// Sets the presence of a device that has a live stream.
    ///
    /// - Throws: ``ServerError`` with the code `conflict` if it has none.
    func setPresence(_ state: Presence.State, of account: AccountID, _ device: DeviceID) throws(ServerError) {
        var isThere = false
        changePresence { register, now in
            let woken = register.set(state, of: account, device, at: now)
            isThere = woken != nil
            return woken ?? []
        }
        if !isThere {
            throw ServerError(
                .conflict,
                "This device has no live stream, and presence lasts as long as one. Open it, and say there what to be shown as."
            )
        }
    }

    /// The presence of an account, regardless of the viewer, and when it went offline, if that is not stored yet.
    func presence(of account: AccountID) -> (state: Presence.State, seen: Timestamp?) {
        withPresence { ($0.state(of: account), $0.seen(account)) }
    }

    /// When an account was last online, as far as others may know: now if it is online at any node; nil if it never was.
    package func lastOnline(of account: AccountID, in transaction: any Transaction) throws -> Timestamp? {
        // The order matters: the hub deletes the last-seen time only after it can be read from the database, and a stream
        // can open or end until the end.
        let unstored = presence(of: account).seen
        let rows = node == nil ? [] : try PresenceRow.read(of: [account], in: transaction)
        let stored = try LastSeen.read(of: account, in: transaction)
        let (state, seen) = withPresence { ($0.state(of: account, with: rows), $0.seen(account)) }
        return state == .offline ? [unstored, stored, seen].compactMap(\.self).max() : clock.time()
    }

    /// Reads again to which people these accounts show their presence. Call it after a commit that has changed their
    /// contacts, their blocks, or their profiles' visibility. An account without a stream costs nothing.
    package func readCircles(of accounts: Set<AccountID>, in database: any Database) async {
        await enterCircles(of: accounts, in: database)
        // The people of a new circle may be online at other nodes. Who may see them is read then.
        if await readElsewhere(in: database) {
            await enterCircles(of: withPresence { $0.unansweredAccounts }, in: database)
        }
    }

    private func enterCircles(of accounts: Set<AccountID>, in database: any Database) async {
        let questions = withPresence { $0.ask(accounts) }
        if questions.isEmpty { return }
        let circles = try? await database.read { transaction in
            try questions.keys.map { ($0, try PresenceRegister.Circle.read(of: $0, in: transaction)) }
        }
        // The next call of `performPendingWork` retries a failed read.
        for (account, circle) in circles ?? [] {
            guard let question = questions[account] else { continue }
            changePresence { $0.enter(circle, of: account, asked: question, at: $1) }
        }
    }

    /// Reads who of the people that have become of interest is online at other nodes.
    ///
    /// - Returns: Whether something was read. The next call retries a failed read.
    private func readElsewhere(in database: any Database) async -> Bool {
        var hasRead = false
        while let accounts = withPresence({ $0.beginReading() }) {
            let rows = try? await database.read { try PresenceRow.read(of: accounts, in: $0) }
            changePresence { $0.endReading(of: accounts, rows, at: $1) }
            if rows == nil { return hasRead }
            hasRead = true
        }
        return hasRead
    }

    /// The presence of an account at all nodes, regardless of the viewer. `rows` are its stored presence.
    func state(of account: AccountID, with rows: [PresenceRow]) -> Presence.State {
        withPresence { $0.state(of: account, with: rows) }
    }

    /// Performs pending work: stores the last-seen times, and retries failed reads.
    func performPendingWork(in database: any Database) async {
        let seen = withPresence { $0.unwrittenSeen }
        // The next call retries a failed write.
        if !seen.isEmpty, (try? await database.write { try LastSeen.write(seen, in: $0) }) != nil {
            withPresence { $0.noteWritten(seen) }
        }
        await readCircles(of: withPresence { $0.unansweredAccounts }, in: database)
    }
}
