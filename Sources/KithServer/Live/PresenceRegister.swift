package import KithModel

/// The presence of people, the permitted viewers, and the pending news of each listener.
///
/// A person's presence is visible to connected people, unless one of the two has blocked the other. To a blocked
/// person, the person is offline. While the presence is hidden, and to all others, it is unknown.
///
/// The pending news of a listener is a set of people. Their states are read when the event is sent, so any number of
/// changes in the meantime makes one piece of news. Beyond ``waiting`` people, the next event names everyone.
///
/// If several nodes share the database, the register also knows the presence at other nodes of the accounts in
/// ``PresenceInterest``.
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

    /// An account with at least one stream here or at another node.
    private struct Person {
        /// Each stream with the presence that its device has chosen, if the stream knows it. Those of one device never differ.
        var streams: [ID: (device: DeviceID, choice: Presence.State?)] = [:]
        /// The combined states at other nodes.
        var elsewhere: [NodeID: Presence.State] = [:]
        /// Since when others can see that the account is online; nil while it is offline.
        var shownSince: Timestamp?
        /// Nil until it has been read. Until then, the account neither sends nor receives presence.
        var circle: Circle?
        /// The numbers of the last request for its circle and of the last answered request. The answer to an earlier
        /// request is outdated. An answer is used even if a later request is pending; otherwise constant requests would
        /// block all news of the person.
        var (asked, answered): (Int, Int)

        /// The combined state of all its devices, as others see it.
        var state: Presence.State { here.combined(with: elsewhere.values).shown }

        /// The combined state of its devices here.
        var here: Presence.State {
            Presence.State.offline.combined(with: streams.values.map { $0.choice ?? choice(of: $0.device) ?? .online })
        }

        /// The presence that a device has chosen on one of its streams; nil if it has chosen none.
        private func choice(of device: DeviceID) -> Presence.State? {
            for stream in streams.values where stream.device == device && stream.choice != nil { return stream.choice }
            return nil
        }

        /// Sets the choice of a device on those of its streams that `isMeant` accepts.
        mutating func choose(
            _ state: Presence.State, of device: DeviceID, where isMeant: (_ choice: Presence.State?) -> Bool
        ) {
            for (id, stream) in streams where stream.device == device && isMeant(stream.choice) {
                streams[id]?.choice = state
            }
        }

        /// The time of a block, unless it is none, or is before what others have seen since: that would reveal the block.
        /// It is before if a stream has opened, here or at another node, while the block was decided.
        func credible(_ blocked: Timestamp) -> Timestamp? {
            blocked == NetworkContact.neverSeen || blocked < shownSince ?? blocked ? nil : blocked
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

    /// The accounts whose presence at other nodes matters here. If no other node uses the database, nothing below is used.
    private var interest: PresenceInterest
    /// The accounts whose state here was not told to the other nodes yet, and since when they have it.
    private var untold: [AccountID: Timestamp] = [:]
    /// Whether more changes were not told than are kept. All that is stored of this node must then be stored again.
    package private(set) var hasForgotten = false

    /// An empty register.
    ///
    /// - Parameter node: This node, if others share the database.
    package init(node: NodeID? = nil) {
        interest = PresenceInterest(of: node)
    }

    // MARK: Streams

    /// Adds a stream. It receives everyone who is online when its account's circle is entered.
    ///
    /// A choice of presence also becomes that of the device's other streams that have one. One whose network was lost would
    /// otherwise keep an older choice until it ends. A stream without a choice follows the others: it is that of another process
    /// of the device, which must not show somebody who is invisible.
    ///
    /// - Returns: The listeners that now have news.
    package mutating func open(
        _ id: ID, of account: AccountID, _ device: DeviceID, as choice: Presence.State?, at now: Timestamp
    ) -> Set<ID> {
        owners[id] = account
        if people[account] == nil { people[account] = Person(asked: lastQuestion, answered: lastQuestion) }
        return change(account, at: now) { person in
            person.streams[id] = (device, choice)
            if let choice { person.choose(choice, of: device) { $0 != nil } }
        }
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
        guard people[account]?.streams.values.contains(where: { $0.device == device }) == true else { return nil }
        return change(account, at: now) { person in person.choose(state, of: device) { _ in true } }
    }

    private mutating func change(
        _ account: AccountID, at now: Timestamp, _ body: (inout Person) -> Void
    ) -> Set<ID> {
        guard var person = people[account] else { return [] }
        let before = person
        body(&person)
        let isOffline = person.state == .offline
        person.shownSince = isOffline ? nil : person.shownSince ?? now
        people[account] = person
        noteHere(account, from: before, to: person, at: now)
        let isKept = !person.streams.isEmpty || (!person.elsewhere.isEmpty && interest.contains(account))
        if !isKept { forget(account) }
        guard before.state != person.state else { return [] }
        guard let circle = person.circle, circle.showsPresence else { return [] }
        let lastSeen = isOffline && circle.showsLastSeen ? now : nil
        var woken: Set<ID> = []
        for watcher in watchers(of: account, circle) { woken.formUnion(tell(watcher, of: account, lastSeen)) }
        return woken
    }

    /// Records how the presence of an account here has changed.
    private mutating func noteHere(
        _ account: AccountID, from before: Person, to person: Person, at now: Timestamp
    ) {
        let (old, new) = (before.here, person.here)
        // Every node stores when its last stream of the account has ended. The latest time counts.
        if old.shown != new.shown, new.shown == .offline,
            unwrittenSeen.count < Self.unwritten || unwrittenSeen[account] != nil
        {
            unwrittenSeen[account] = now
        }
        guard interest.isShared else { return }
        if old != new {
            if untold.count < Self.unwritten || untold[account] != nil {
                untold[account] = now
            } else {
                hasForgotten = true
            }
        }
        if before.streams.isEmpty == person.streams.isEmpty { return }
        let interesting = (person.circle?.peers ?? []).union([account])
        if person.streams.isEmpty { lose(interesting) } else { interest.gain(interesting) }
    }

    private mutating func forget(_ account: AccountID) {
        people[account] = nil
        unansweredAccounts.remove(account)
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
            let gone: Timestamp? = circle.blocked[other].map { person.credible($0) } ?? now
            woken.formUnion(tell(other, of: account, circle.showsLastSeen ? gone : nil))
        }
        // A new stream of an account that has other streams has received nothing yet.
        for id in person.streams.keys where news[id] == nil {
            news[id] = News(isWhole: true)
            woken.insert(id)
        }
        if interest.isShared, !person.streams.isEmpty {
            let old = person.circle?.peers ?? []
            interest.gain(circle.peers.subtracting(old))
            lose(old.subtracting(circle.peers))
        }
        return woken
    }

    // MARK: Other nodes

    /// Takes the changes here that the other nodes are to be told.
    package mutating func takeUntold() -> [PresenceChange] {
        defer { untold = [:] }
        return untold.map { PresenceChange($0.key, people[$0.key]?.here ?? .offline, at: $0.value) }
            .sorted { $0.account < $1.account }
    }

    /// Records that these changes could not be told. The next ``takeUntold()`` has them again.
    package mutating func putBack(_ changes: [PresenceChange]) {
        for change in changes where untold[change.account] == nil { untold[change.account] = change.time }
    }

    /// Records that the other nodes know nothing of this one.
    package mutating func untellAll(at now: Timestamp) {
        hasForgotten = false
        untold = people.filter { !$0.value.streams.isEmpty }.mapValues { _ in now }
    }

    /// Whether the other nodes are to be told of changes here.
    package var hasUntold: Bool { !untold.isEmpty }

    /// Records a change at another node.
    ///
    /// - Returns: The listeners that now have news.
    package mutating func hear(_ change: PresenceChange, at node: NodeID) -> Set<ID> {
        interest.hear(of: change.account, at: node) ? set(change, at: node) : []
    }

    private mutating func set(_ change: PresenceChange, at node: NodeID) -> Set<ID> {
        if people[change.account] == nil {
            if change.state == .offline { return [] }
            people[change.account] = Person(asked: lastQuestion, answered: lastQuestion)
            unansweredAccounts.insert(change.account)
        }
        return self.change(change.account, at: change.time) { person in
            person.elsewhere[node] = change.state == .offline ? nil : change.state
        }
    }

    /// Takes the accounts whose presence elsewhere is to be read; nil if there are none. ``endReading(of:_:at:)`` must
    /// follow.
    package mutating func beginReading() -> Set<AccountID>? { interest.beginReading() }

    /// Records the stored presence of accounts.
    ///
    /// - Parameters:
    ///   - accounts: The accounts that were read.
    ///   - rows: Their rows; nil if they could not be read.
    ///   - now: The time of changes that were not heard of.
    /// - Returns: The listeners that now have news.
    package mutating func endReading(
        of accounts: Set<AccountID>, _ rows: [PresenceRow]?, at now: Timestamp
    ) -> Set<ID> {
        defer { interest.endReading() }
        guard let rows else {
            interest.putBack(accounts)
            return []
        }
        var found: [AccountID: [NodeID: Presence.State]] = [:]
        for row in rows { found[row.account, default: [:]][row.node] = row.state }
        var woken: Set<ID> = []
        for account in accounts {
            let (new, old) = (found[account] ?? [:], people[account]?.elsewhere ?? [:])
            for node in Set(new.keys).union(old.keys) {
                woken.formUnion(enter(new[node] ?? .offline, of: account, at: node, now))
            }
        }
        return woken
    }

    /// Begins to read all that is stored of a node. The other function that ends a reading must follow.
    package mutating func beginReadingNode() { interest.beginReadingNode() }

    /// Records everything that is stored of a node.
    ///
    /// - Parameters:
    ///   - node: The node. It counts as running.
    ///   - rows: Its rows; nil if they could not be read.
    ///   - now: The time of changes that were not heard of.
    /// - Returns: The listeners that now have news.
    package mutating func endReading(of node: NodeID, _ rows: [PresenceRow]?, at now: Timestamp) -> Set<ID> {
        defer { interest.endReading() }
        guard let rows else { return [] }
        interest.begin(node)
        var gone = Set(people.filter { $0.value.elsewhere[node] != nil }.keys)
        var woken: Set<ID> = []
        for row in rows {
            gone.remove(row.account)
            woken.formUnion(enter(row.state, of: row.account, at: node, now))
        }
        for account in gone { woken.formUnion(enter(.offline, of: account, at: node, now)) }
        return woken
    }

    /// Records that a node has ended: nobody is online there.
    ///
    /// - Returns: The listeners that now have news.
    package mutating func end(_ node: NodeID, at time: Timestamp) -> Set<ID> {
        interest.end(node)
        var woken: Set<ID> = []
        for account in people.filter({ $0.value.elsewhere[node] != nil }).keys {
            woken.formUnion(set(PresenceChange(account, .offline, at: time), at: node))
        }
        return woken
    }

    /// Records what was read, unless the node has told something newer.
    private mutating func enter(
        _ state: Presence.State, of account: AccountID, at node: NodeID, _ now: Timestamp
    ) -> Set<ID> {
        guard interest.isNewest(of: account, at: node), people[account]?.elsewhere[node] ?? .offline != state else {
            return []
        }
        return set(PresenceChange(account, state, at: now), at: node)
    }

    private mutating func lose(_ accounts: Set<AccountID>) {
        for account in interest.lose(accounts) where people[account]?.streams.isEmpty == true { forget(account) }
    }

    /// The combined state of an account whose rows were read now: here, and at other nodes.
    package func state(of account: AccountID, with rows: [PresenceRow]) -> Presence.State {
        let others = rows.filter { $0.account == account && interest.isRunning($0.node) }
        return (people[account]?.here ?? .offline).combined(with: others.map(\.state)).shown
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
            let (record, text): (RecordID<Never>, String) = (try row.id(0), try row.text(2))
            let damaged = DamagedRecord(feed: account.retyped(), record: record)
            if try row.text(1) == RecordCollection.profiles.rawValue {
                let fields = try DamagedRecord.naming(damaged) { try StoredText.fields(text) }
                circle.showsPresence = Profile.Part.presence.visibility(in: fields) >= .network
                circle.showsLastSeen = Profile.Part.lastSeen.visibility(in: fields) >= .network
            } else {
                let scan = try DamagedRecord.naming(damaged) { try ContactScan(text) }
                if scan.letsKnow { circle.peers.insert(try row.id(0)) }
                if let blocked = scan.blocked { circle.blocked[try row.id(0)] = blocked }
            }
        }
        return circle
    }
}
