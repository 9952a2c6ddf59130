import KithModel
import KithServer
import Synchronization
import Testing

@Suite("The signals after a commit") struct SignalTests {
    let town: Town
    var ada: Phone
    var ben: Phone

    init() throws {
        town = try Town()
        ada = try town.phone()
        ben = try town.phone()
        try town.connect(&ada, &ben)
    }

    @Test("a connection, its end and a block update the circles of both people; refused edits do not")
    mutating func circles() throws {
        var cleo = try town.phone()
        #expect(try cleo.sync(cleo.wish(.connect, ada)).signals.circles.isEmpty)
        try ada.sync()
        #expect(try ada.sync(ada.wish(.accept, cleo)).signals.circles == [ada.account, cleo.account])
        #expect(try ada.sync(ada.contact(ben, ["isBlocked": true])).signals.circles == [ada.account])
        #expect(try ada.sync(ada.contact(ben, ["mutedFrom": 1])).signals.circles.isEmpty)
        #expect(try ada.sync(ada.contact(ben, ["isBlocked": false])).signals.circles == [ada.account])
        #expect(try ben.sync(ben.contact(ada, ["isBlocked": .text("yes")])).signals == Signals())
        #expect(try ben.sync(ben.wish(.none, ada)).signals.circles == [ada.account, ben.account])
    }

    @Test("a profile change signals in the background, and recomputes presence only if it hides or shows it")
    mutating func profiles() throws {
        let told = try ada.sync(ada.profile(["status": "away"])).signals
        #expect(told.topics == [.profiles] && told.circles.isEmpty)
        #expect(try ada.sync(ada.profile(["lastSeenVisibility": "nobody"])).signals.circles == [ada.account])
        #expect(try ada.sync(ada.profile(["presenceVisibility": "a secret"])).signals == Signals())
    }

    @Test("a deleted account leaves every circle") mutating func deletion() throws {
        try town.delete(ben.account)
        let step = try town.database.writeNow { [now = town.now] in try ProfileFanout.take(at: now, in: $0) }
        #expect(step.circles == [ada.account])
    }

    @Test("a push that is taken in parts sends signals for all parts") mutating func parts() async throws {
        let lists: [FeedID] = [town.id(), town.id()]
        let request = ada.request(lists.map { ada.create($0) } + [ada.profile(["status": "away"])])
        let signals = try await SyncService(database: town.database, smallPush: 1, part: 1)
            .sync(request, as: ada.account, at: town.now, through: AtOnce()).signals
        #expect(signals.moved == Set(lists + [ada.home]) && signals.topics == [.profiles])
    }

    @Test("the combined signals of two commits contain those of both") func union() {
        var one = Signals(moved: [ada.home])
        one.formUnion(Signals())
        #expect(one == Signals(moved: [ada.home]))
        var other = Signals(moved: [ben.home])
        other.circles = [ben.account]
        other.topics = [.profiles]
        other.closedSessions = [SessionID(token: "token")]
        other.closedAccounts = [ben.account]
        one.circles = [ada.account]
        one.formUnion(other)
        #expect(one.moved == [ada.home, ben.home] && one.circles == [ada.account, ben.account])
        #expect(one.closedSessions == [SessionID(token: "token")])
        #expect(one.closedAccounts == [ben.account] && one.topics == [.profiles])
        one.formUnion(Signals())
        #expect(one.topics == [.profiles])
    }

    @Test("signals are sent even if the answer cannot be read") mutating func unread() async throws {
        let database = UnreadableDatabase(database: town.database)
        let request = ada.request([ada.contact(ben, ["isBlocked": true])])
        let heard = Mutex<[Signals]>([])
        let service = SyncService(
            database: database, signals: SignalSender { signals, _ in heard.withLock { $0.append(signals) } })
        await #expect(throws: ServerError.self) {
            _ = try await service.sync(request, as: ada.account, at: town.now)
        }
        #expect(heard.withLock { $0.map(\.circles) } == [[ada.account]])
    }
}

/// A database that is written to, and then away.
private struct UnreadableDatabase: DatabaseDouble {
    let database: any Database

    func performRead(_ work: any TransactionWork) async throws {
        throw ServerError(.busy, "The database is away.")
    }
}
