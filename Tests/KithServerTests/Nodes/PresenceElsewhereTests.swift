import Foundation
import KithModel
import KithServer
import Testing

@Suite("The presence of people at other nodes")
struct PresenceElsewhereTests {
    private typealias Circle = PresenceRegister.Circle

    private let ada = AccountID(UUID())
    private let grace = AccountID(UUID())
    private let mallory = AccountID(UUID())
    private let device = DeviceID(UUID())
    private let noon = HandClock.start
    private let there = NodeID("there")
    private let third = NodeID("third")
    private var register = PresenceRegister(node: NodeID("here"))

    private mutating func enter(_ circle: Circle, of account: AccountID) {
        let question = register.ask([account])[account] ?? 0
        _ = register.enter(circle, of: account, asked: question, at: noon)
    }

    /// Ada's stream is open, and she is connected with Grace.
    private mutating func start() {
        _ = register.open(0, of: ada, device, as: .online, at: noon)
        enter(Circle(peers: [grace]), of: ada)
        _ = register.take(0)
        read([])
    }

    private mutating func read(_ rows: [PresenceRow]) {
        while let accounts = register.beginReading() { _ = register.endReading(of: accounts, rows, at: noon) }
    }

    private mutating func hear(_ state: Presence.State, of account: AccountID, at node: NodeID) {
        _ = register.hear(PresenceChange(account, state, at: noon + .seconds(9)), at: node)
    }

    private mutating func news() -> [PresenceEvent.Person]? { register.take(0)?.people }

    private func person(_ account: AccountID, _ state: Presence.State, seen: Duration? = nil) -> PresenceEvent.Person {
        PresenceEvent.Person(account: account, presence: Presence(state, lastSeen: seen.map { noon + $0 }))
    }

    @Test("Law: A friend at another node comes and goes as one at this node, once the circle is known")
    mutating func comesAndGoes() {
        start()
        hear(.online, of: grace, at: there)
        let early = news()
        #expect(early == nil && register.unansweredAccounts == [grace])
        enter(Circle(peers: [ada]), of: grace)
        let online = news()
        #expect(online == [person(grace, .online)])
        hear(.offline, of: grace, at: there)
        let offline = news()
        #expect(offline == [person(grace, .offline, seen: .seconds(9))])
        #expect(register.unwrittenSeen.isEmpty, "The node that Grace was at stores it.")
    }

    @Test("Law: A person that nobody here knows takes no memory, and a block holds at every node")
    mutating func walls() {
        start()
        hear(.online, of: mallory, at: there)
        #expect(register.unansweredAccounts.isEmpty && register.state(of: mallory) == .offline)
        hear(.online, of: grace, at: there)
        enter(Circle(peers: [], blocked: [ada: noon]), of: grace)
        let told = news()
        #expect(told == nil)
    }

    @Test("The devices of all nodes count together, and a choice at one applies to all") mutating func combined() {
        start()
        hear(.away, of: grace, at: there)
        enter(Circle(peers: [ada]), of: grace)
        _ = news()
        hear(.online, of: grace, at: third)
        let online = news()
        #expect(online == [person(grace, .online)])
        hear(.invisible, of: grace, at: there)
        let invisible = news()
        #expect(invisible?.first?.presence?.state == .offline)
        hear(.offline, of: grace, at: there)
        let again = news()
        #expect(again == [person(grace, .online)])
    }

    @Test("Law: The end of a node takes its people offline, and nothing more is heard of it until it is read")
    mutating func ended() {
        start()
        hear(.online, of: grace, at: there)
        enter(Circle(peers: [ada]), of: grace)
        _ = news()
        _ = register.end(there, at: noon + .seconds(5))
        let ended = news()
        #expect(ended == [person(grace, .offline, seen: .seconds(5))])
        hear(.online, of: grace, at: there)
        let silent = news()
        #expect(silent == nil)
        register.beginReadingNode()
        _ = register.endReading(of: there, [PresenceRow(grace, at: there, .busy)], at: noon)
        enter(Circle(peers: [ada]), of: grace)
        let back = news()
        #expect(back == [person(grace, .busy)])
    }

    @Test("Law: What is heard while rows are read is newer than the rows") mutating func race() throws {
        start()
        register.beginReadingNode()
        hear(.online, of: grace, at: there)
        _ = register.endReading(of: there, [], at: noon)
        #expect(register.state(of: grace) == .online)
        register.beginReadingNode()
        _ = register.endReading(of: there, [], at: noon)
        #expect(register.state(of: grace) == .offline)
    }

    @Test("A new stream learns who is online at other nodes from their rows; a failed read is repeated")
    mutating func rows() throws {
        _ = register.open(0, of: ada, device, as: .online, at: noon)
        enter(Circle(peers: [grace]), of: ada)
        let reading = register.beginReading()
        let accounts = try #require(reading)
        #expect(accounts == [ada, grace])
        _ = register.endReading(of: accounts, nil, at: noon)
        read([PresenceRow(grace, at: there, .busy)])
        enter(Circle(peers: [ada]), of: grace)
        let event = register.take(0)
        #expect(event == PresenceEvent(isWhole: true, people: [person(grace, .busy)]))
    }

    @Test("Law: With the last stream that knows them, people at other nodes are forgotten") mutating func forgets() {
        start()
        hear(.online, of: grace, at: there)
        enter(Circle(peers: [ada]), of: grace)
        _ = register.close(0, at: noon)
        #expect(register.state(of: grace) == .offline)
        hear(.online, of: grace, at: there)
        #expect(register.state(of: grace) == .offline && register.unansweredAccounts.isEmpty)
    }

    @Test("Trap: Somebody who blocks through another node than that of their stream is online now, as others see it")
    func blocksThroughAnotherNode() async throws {
        let (database, clock) = (try SQLiteDatabase.inMemory(), HandClock())
        let hub = LiveHub(
            streamsOfSession: 8, streamsAtOnce: 8, clock: clock.server, node: NodeID("here"))
        func store(_ state: Presence.State) async throws {
            try await database.write { [ada, noon, there] in
                try PresenceRow.write([PresenceChange(ada, state, at: noon)], at: there, in: $0)
            }
        }
        func seen() async throws -> Timestamp? {
            try await database.read { [ada] in try hub.lastOnline(of: ada, in: $0) }
        }
        clock.advance(.seconds(60))
        #expect(try await seen() == nil)
        try await store(.away)
        #expect(try await seen() == noon + .seconds(60))
        try await store(.invisible)
        #expect(try await seen() == nil)
    }

    @Test("Changes here are told once, and those that could not be told again") mutating func untold() {
        start()
        let first = register.takeUntold()
        #expect(first == [PresenceChange(ada, .online, at: noon)] && !register.hasUntold)
        _ = register.set(.invisible, of: ada, device, at: noon + .seconds(1))
        let hidden = register.takeUntold()
        #expect(hidden == [PresenceChange(ada, .invisible, at: noon + .seconds(1))])
        _ = register.close(0, at: noon + .seconds(2))
        register.putBack(hidden)
        let last = register.takeUntold()
        #expect(last == [PresenceChange(ada, .offline, at: noon + .seconds(2))])
        _ = register.open(1, of: grace, device, as: .online, at: noon)
        _ = register.takeUntold()
        register.untellAll(at: noon)
        let all = register.takeUntold()
        #expect(all.map(\.account) == [grace])
    }

    @Test("Law: Changes that cannot be told are bounded; beyond, everything is stored again") mutating func bounded() {
        for number in 0...PresenceRegister.unwritten {
            let account = AccountID(UUID())
            _ = register.open(number, of: account, device, as: .online, at: noon)
            _ = register.close(number, at: noon)
        }
        #expect(register.hasForgotten)
        register.untellAll(at: noon)
        #expect(!register.hasForgotten && !register.hasUntold)
    }
}
