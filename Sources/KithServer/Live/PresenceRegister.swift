package import KithModel

/// The presence of people, the permitted viewers, and the pending news of each listener.
///
/// A person's presence is visible to connected people, unless one of the two has blocked the other. To a blocked
/// person, the person is offline. While the presence is hidden, and to all others, it is unknown.
///
/// The pending news of a listener is a set of people. Their states are read when the event is sent, so any number of
/// changes in the meantime makes one piece of news. Beyond ``waiting`` people, the next event names everyone.
package struct PresenceRegister: Sendable {
    /// The maximum number of people in the pending news of one listener.
    package static let waiting = 100
    /// The maximum number of accounts whose last-seen times are held until they are stored.
    package static let unwritten = 100_000

    package typealias ID = LiveRegister.ID

    /// What an account shows to others, and to which people.
    package struct Circle: Hashable, Sendable {
        /// The people that it is connected with and has not blocked.
        package var peers: Set<AccountID>
        /// Whether its network may see that it is online.
        package var showsPresence: Bool
        /// Whether its network may see when it was last online.
        package var showsLastSeen: Bool
        /// The people that it is connected with and has blocked, each with the time in its contact. To them it is
        /// offline since that time.
        package var blocked: [AccountID: Timestamp]

        package init(
            peers: Set<AccountID> = [], showsPresence: Bool = true, showsLastSeen: Bool = true,
            blocked: [AccountID: Timestamp] = [:]
        ) {
            self.peers = peers
            self.blocked = blocked
            self.showsPresence = showsPresence
            self.showsLastSeen = showsLastSeen
        }
    }

    /// An account with at least one stream.
    private struct Person {
        var streams: [ID: (device: DeviceID, state: Presence.State)] = [:]
        /// Nil until it has been read. Until then, the account neither sends nor receives presence.
        var circle: Circle?
        /// The numbers of the last request for its circle and of the last answered request. The answer to an earlier
        /// request is outdated. An answer is used even if a later request is pending; otherwise constant requests would
        /// block all news of the person.
        var (asked, answered): (Int, Int)

        /// The combined state of all its devices, as others see it.
        ///
        /// A state that the person has chosen takes precedence over the state of the devices: invisible or busy on one
        /// device applies to all. Otherwise the most available device counts.
        var state: Presence.State {
            let states = Set(streams.values.map(\.state))
            if states.contains(.invisible) { return .offline }
            return [.busy, .online, .away].first { states.contains($0) } ?? .offline
        }
    }

    /// The pending news of a listener.
    private struct News {
        var people: [AccountID: Timestamp?] = [:]
        var isWhole = false
    }

    private var people: [AccountID: Person] = [:]
    private var owners: [ID: AccountID] = [:]
    private var news: [ID: News] = [:]
    /// The last-seen times that are not stored yet.
    package private(set) var unwrittenSeen: [AccountID: Timestamp] = [:]
    /// The requested accounts that are not read yet. They are requested again after a failed read.
    package private(set) var unansweredAccounts: Set<AccountID> = []
    private var lastQuestion = 0

    package init() {}

    // MARK: Streams

    /// Adds a stream. It receives everyone who is online when its account's circle is entered.
    ///
    /// - Returns: The listeners that now have news.
    package mutating func open(
        _ id: ID, of account: AccountID, _ device: DeviceID, as state: Presence.State, at now: Timestamp
    ) -> Set<ID> {
        owners[id] = account
        if people[account] == nil { people[account] = Person(asked: lastQuestion, answered: lastQuestion) }
        return change(account, at: now) { $0.streams[id] = (device, state) }
    }

    /// Removes a stream.
    ///
    /// - Returns: The listeners that now have news.
    package mutating func close(_ id: ID, at now: Timestamp) -> Set<ID> {
        news[id] = nil
        guard let account = owners.removeValue(forKey: id) else { return [] }
        return change(account, at: now) { $0.streams[id] = nil }
    }

    /// Sets the presence of a device; nil if it has no stream.
    package mutating func set(
        _ state: Presence.State, of account: AccountID, _ device: DeviceID, at now: Timestamp
    ) -> Set<ID>? {
        let streams = people[account]?.streams.filter { $0.value.device == device }.keys ?? [:].keys
        if streams.isEmpty { return nil }
        return change(account, at: now) { person in
            for id in streams { person.streams[id]?.state = state }
        }
    }

    private mutating func change(
        _ account: AccountID, at now: Timestamp, _ body: (inout Person) -> Void
    ) -> Set<ID> {
        guard var person = people[account] else { return [] }
        let before = person
        body(&person)
        people[account] = person.streams.isEmpty ? nil : person
        if person.streams.isEmpty { unansweredAccounts.remove(account) }
        guard before.state != person.state else { return [] }
        if person.state == .offline, unwrittenSeen.count < Self.unwritten || unwrittenSeen[account] != nil {
            unwrittenSeen[account] = now
        }
        guard let circle = person.circle, circle.showsPresence else { return [] }
        let lastSeen = person.state == .offline && circle.showsLastSeen ? now : nil
        var woken: Set<ID> = []
        for watcher in watchers(of: account, circle) { woken.formUnion(tell(watcher, of: account, lastSeen)) }
        return woken
    }

    // MARK: Circles

    /// Records that the circles of these accounts may have changed.
    ///
    /// - Returns: For each account with a stream, the number of the request, for ``enter(_:of:asked:at:)``.
    package mutating func ask(_ accounts: Set<AccountID>) -> [AccountID: Int] {
        lastQuestion += 1
        var questions: [AccountID: Int] = [:]
        for account in accounts where people[account] != nil {
            people[account]?.asked = lastQuestion
            questions[account] = lastQuestion
            unansweredAccounts.insert(account)
        }
        return questions
    }

    /// Sets who can see the presence of an account, unless a later request has been answered.
    ///
    /// - Returns: The listeners that now have news.
    package mutating func enter(
        _ circle: Circle, of account: AccountID, asked question: Int, at now: Timestamp
    ) -> Set<ID> {
        guard let person = people[account], question > person.answered else { return [] }
        people[account]?.answered = question
        if question == person.asked { unansweredAccounts.remove(account) }
        var woken: Set<ID> = []
        let touched = person.circle.map { $0.peers.symmetricDifference(circle.peers) } ?? circle.peers
        let isShownOtherwise = person.circle?.showsPresence != circle.showsPresence
        let others = (isShownOtherwise ? touched.union(circle.peers) : touched).filter { people[$0] != nil }
        let before = Dictionary(uniqueKeysWithValues: others.map { ($0, shown(account, to: $0)) })
        people[account]?.circle = circle
        if person.circle == nil {
            for id in person.streams.keys {
                news[id, default: News()].isWhole = true
                woken.insert(id)
            }
        } else {
            // People who are now unconnected are named even if they are offline, so that the listener removes them.
            for peer in touched { woken.formUnion(tell(account, of: peer, nil)) }
        }
        for other in others where shown(account, to: other) != before[other] {
            // To a blocked person, the account went offline at the time that `GET …/presence` gives them. The times
            // must agree to the millisecond; a difference would reveal the block.
            let gone = circle.blocked[other] ?? now
            woken.formUnion(tell(other, of: account, circle.showsLastSeen ? gone : nil))
        }
        // A new stream of an account that has other streams has received nothing yet.
        for id in person.streams.keys where news[id] == nil {
            news[id] = News(isWhole: true)
            woken.insert(id)
        }
        return woken
    }

    // MARK: Telling

    /// The combined state of an account's devices; offline if it has none.
    package func state(of account: AccountID) -> Presence.State { people[account]?.state ?? .offline }

    /// When the account went offline, if that is not stored yet.
    package func seen(_ account: AccountID) -> Timestamp? { unwrittenSeen[account] }

    /// Takes the pending news of a listener; nil if there is none.
    package mutating func take(_ id: ID) -> PresenceEvent? {
        guard let account = owners[id], let waiting = news[id], waiting.isWhole || !waiting.people.isEmpty,
            let circle = people[account]?.circle
        else { return nil }
        news[id] = News()
        guard waiting.isWhole else {
            return PresenceEvent(
                isWhole: false,
                people: waiting.people.sorted { $0.key < $1.key }.map { peer, lastSeen in
                    let state = state(of: peer, to: account)
                    return .init(
                        account: peer,
                        presence: state.map { Presence($0, lastSeen: $0 == .offline ? lastSeen : nil) })
                })
        }
        let present = (circle.peers.count < people.count ? Array(circle.peers) : Array(people.keys)).filter {
            state(of: $0, to: account) ?? .offline != .offline
        }
        return PresenceEvent(
            isWhole: true,
            people: present.sorted().map {
                .init(account: $0, presence: state(of: $0, to: account).map { Presence($0) })
            })
    }

    /// Removes the times that have been stored. A newer time, of an account that has gone offline again, stays.
    package mutating func noteWritten(_ written: [AccountID: Timestamp]) {
        for (account, time) in written where unwrittenSeen[account] == time { unwrittenSeen[account] = nil }
    }

    /// The presence of `account` for `viewer`, who has a stream; nil if it is unknown to the viewer.
    private func state(of account: AccountID, to viewer: AccountID) -> Presence.State? {
        guard people[viewer]?.circle?.peers.contains(account) == true else { return nil }
        guard let person = people[account], let circle = person.circle else { return .offline }
        // Check for hidden before blocked: a hidden presence is the same for everyone.
        guard circle.showsPresence else { return nil }
        return circle.peers.contains(viewer) ? person.state : .offline
    }

    /// The same, but offline instead of unknown.
    private func shown(_ account: AccountID, to viewer: AccountID) -> Presence.State {
        state(of: account, to: viewer) ?? .offline
    }

    /// The people with streams who see the presence of an account.
    private func watchers(of account: AccountID, _ circle: Circle) -> [AccountID] {
        let some = circle.peers.count < people.count ? Array(circle.peers) : people.keys.filter(circle.peers.contains)
        return some.filter { people[$0]?.circle?.peers.contains(account) == true }
    }

    /// Adds a person to the pending news of an account's listeners.
    private mutating func tell(_ account: AccountID, of peer: AccountID, _ lastSeen: Timestamp?) -> Set<ID> {
        guard let person = people[account], person.circle != nil else { return [] }
        // A listener without an initial event must receive everyone first.
        let listening = person.streams.keys.filter { news[$0] != nil }
        for id in listening {
            guard news[id]?.isWhole == false else { continue }
            news[id]?.people[peer] = .some(lastSeen)
            if news[id]?.people.count ?? 0 > Self.waiting { news[id] = News(isWhole: true) }
        }
        return Set(listening)
    }
}

extension PresenceRegister.Circle {
    /// Reads what an account shows to others, and to which people, with one query over its own feed.
    package static func read(of account: AccountID, in transaction: any Transaction) throws -> Self {
        var circle = Self()
        let rows = try transaction.query(
            "SELECT id, collection, fields FROM record WHERE feed = ? AND collection IN ('contact', 'profile')",
            [.id(account)])
        for row in rows {
            let text = try row.text(2)
            if try row.text(1) == RecordCollection.profiles.rawValue {
                let fields = try StoredText.fields(text)
                circle.showsPresence = Profile.Part.presence.visibility(in: fields) >= .network
                circle.showsLastSeen = Profile.Part.lastSeen.visibility(in: fields) >= .network
            } else {
                let scan = try ContactScan(text)
                if scan.letsKnow { circle.peers.insert(try row.id(0)) }
                if let blocked = scan.blocked { circle.blocked[try row.id(0)] = blocked }
            }
        }
        return circle
    }
}
