package import KithModel

/// Who is online, who may know it, and what each listener has yet to be told.
///
/// Someone's presence is known to those who are connected with them, that they have not blocked, and who have not
/// blocked them. To someone blocked they are offline; while it is hidden, and to all others, they are unknown. What waits for a listener is a set of people,
/// and how they are is looked up when it is told: however often someone comes and goes meanwhile makes one piece of
/// news. Beyond ``waiting`` people the next news names all.
package struct PresenceRegister: Sendable {
    /// The most people that wait to be told of to one listener.
    package static let waiting = 100
    /// The most accounts of which is remembered when they were seen, until that is written down.
    package static let unwritten = 100_000

    package typealias ID = LiveRegister.ID

    /// What an account shows to others, and to which people.
    package struct Circle: Hashable, Sendable {
        /// The people that it is connected with and has not blocked.
        package var peers: Set<AccountID>
        /// Whether its network may know that it is online.
        package var showsPresence: Bool
        /// Whether its network may know when it was last online.
        package var showsLastSeen: Bool
        /// The people that it is connected with and has blocked, each with the time that its contact keeps: since then it is
        /// offline to them.
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
        /// Nil until it has been read: until then nobody hears of the account, and it of nobody.
        var circle: Circle?
        /// The last question for its circle, and the last that was answered: an answer to an earlier one is older. That to
        /// a later one is not waited for, or someone who is asked for all the time would never be told of.
        var (asked, answered): (Int, Int)

        /// What it is when all its devices are taken together, as others see it.
        ///
        /// What the person has said counts before what their devices show: invisible on one is invisible, busy on one is
        /// busy. Otherwise the most available device counts.
        var state: Presence.State {
            let states = Set(streams.values.map(\.state))
            if states.contains(.invisible) { return .offline }
            return [.busy, .online, .away].first { states.contains($0) } ?? .offline
        }
    }

    /// What waits for a listener.
    private struct News {
        var people: [AccountID: Timestamp?] = [:]
        var isWhole = false
    }

    private var people: [AccountID: Person] = [:]
    private var owners: [ID: AccountID] = [:]
    private var news: [ID: News] = [:]
    /// Who was last seen when, and that is not written down yet.
    package private(set) var unwrittenSeen: [AccountID: Timestamp] = [:]
    /// The accounts that were asked for and are not read yet: where reading has failed, they are asked for again.
    package private(set) var unansweredAccounts: Set<AccountID> = []
    private var lastQuestion = 0

    package init() {}

    // MARK: Streams

    /// Adds a stream. It is told all who are there when its account's circle is entered.
    ///
    /// - Returns: The listeners that now have something to be told.
    package mutating func open(
        _ id: ID, of account: AccountID, _ device: DeviceID, as state: Presence.State, at now: Timestamp
    ) -> Set<ID> {
        owners[id] = account
        if people[account] == nil { people[account] = Person(asked: lastQuestion, answered: lastQuestion) }
        return change(account, at: now) { $0.streams[id] = (device, state) }
    }

    /// Removes a stream.
    ///
    /// - Returns: The listeners that now have something to be told.
    package mutating func close(_ id: ID, at now: Timestamp) -> Set<ID> {
        news[id] = nil
        guard let account = owners.removeValue(forKey: id) else { return [] }
        return change(account, at: now) { $0.streams[id] = nil }
    }

    /// Sets what a device is shown as; nil if it has no stream.
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

    /// Notes that the circles of these accounts may have changed.
    ///
    /// - Returns: Of those with a stream, which number the question has that is to be answered by ``enter(_:of:asked:at:)``.
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

    /// Sets which people an account is shown to, unless a later question has been answered.
    ///
    /// - Returns: The listeners that now have something to be told.
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
            // Those who are not connected any more are named even if they are not there: they are to be forgotten.
            for peer in touched { woken.formUnion(tell(account, of: peer, nil)) }
        }
        for other in others where shown(account, to: other) != before[other] {
            // To someone blocked, it is as if one had gone at the time that `GET …/presence` tells them: to the
            // millisecond, or they could tell a block.
            let gone = circle.blocked[other] ?? now
            woken.formUnion(tell(other, of: account, circle.showsLastSeen ? gone : nil))
        }
        // A stream that has joined others of its account has been told nothing yet.
        for id in person.streams.keys where news[id] == nil {
            news[id] = News(isWhole: true)
            woken.insert(id)
        }
        return woken
    }

    // MARK: Telling

    /// How an account is when its devices are taken together; offline if it has none.
    package func state(of account: AccountID) -> Presence.State { people[account]?.state ?? .offline }

    /// When the account went, if that was not written down yet.
    package func seen(_ account: AccountID) -> Timestamp? { unwrittenSeen[account] }

    /// Takes what is to be told to a listener: nil if there is nothing.
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

    /// Forgets what has been written down; until then it is answered from here. Who has gone again meanwhile stays.
    package mutating func noteWritten(_ written: [AccountID: Timestamp]) {
        for (account, time) in written where unwrittenSeen[account] == time { unwrittenSeen[account] = nil }
    }

    /// How `account` looks to `viewer`, who has a stream; nil if the viewer is not to know.
    private func state(of account: AccountID, to viewer: AccountID) -> Presence.State? {
        guard people[viewer]?.circle?.peers.contains(account) == true else { return nil }
        guard let person = people[account], let circle = person.circle else { return .offline }
        // Hidden comes before blocked: it is the same for everyone.
        guard circle.showsPresence else { return nil }
        return circle.peers.contains(viewer) ? person.state : .offline
    }

    /// The same, where someone unknown looks as if they were offline.
    private func shown(_ account: AccountID, to viewer: AccountID) -> Presence.State {
        state(of: account, to: viewer) ?? .offline
    }

    /// Those with streams who see how an account is.
    private func watchers(of account: AccountID, _ circle: Circle) -> [AccountID] {
        let some = circle.peers.count < people.count ? Array(circle.peers) : people.keys.filter(circle.peers.contains)
        return some.filter { people[$0]?.circle?.peers.contains(account) == true }
    }

    /// Has the listeners of an account be told of someone.
    private mutating func tell(_ account: AccountID, of peer: AccountID, _ lastSeen: Timestamp?) -> Set<ID> {
        guard let person = people[account], person.circle != nil else { return [] }
        // Whoever was never told all is told all first.
        let listening = person.streams.keys.filter { news[$0] != nil }
        for id in listening {
            guard news[id]?.isWhole == false else { continue }
            news[id]?.people[peer] = .some(lastSeen)
            if news[id]?.people.count ?? 0 > Self.waiting { news[id] = News(isWhole: true) }
        }
        return Set(listening)
    }
}
