import KithModel
import KithServer
import Synchronization
import Testing

/// A large push is taken part by part, so that the one writer is never held for long.
@Suite("A large push") struct LargePushTests {
    let town: Town
    var ada: Phone
    let list: FeedID
    /// The records that the list has beside its items: itself, and its owner as a member.
    let others = 2

    init() throws { (town, ada, list) = try Town.withList() }

    private func service(
        signals: SignalSender = .none, _ moment: @escaping @Sendable (Int) throws -> Void
    ) -> SyncService {
        SyncService(database: InterruptedDatabase(town.database, moment), signals: signals)
    }

    @Test("Law 7: others' edits are applied between its parts, and its answer is the same as of an undivided push")
    mutating func between() async throws {
        let refused = (0..<2).map { _ in ada.item(town.id(), in: town.id()) }
        let request = ada.request([refused[0]] + (0..<450).map { _ in ada.item(town.id(), in: list) } + [refused[1]])
        var ben = try town.phone()
        let bens: FeedID = town.id()
        let bensRequest = ben.request([ben.create(bens)])
        let (account, database, now) = (ben.account, town.database, town.now)
        let told = Mutex<[Signals]>([])
        let sender = SignalSender { signals, _ in told.withLock { $0.append(signals) } }
        let service = service(signals: sender) { write in
            guard write == 2 else { return }
            _ = try database.sync(bensRequest, as: account, at: now)
        }
        let synced = try await service.sync(request, as: ada.account, at: town.now, through: AtOnce())
        #expect(synced.answer.acknowledged.number == request.mutations.last?.number)
        #expect(synced.answer.outcomes.map(\.number) == [1, 452].map { request.acknowledged.number + $0 })
        #expect(synced.answer.device == .recognised && synced.answer.records.count == 450)
        #expect(told.withLock { $0 } == [synced.signals] && synced.signals.moved.contains(list))
        #expect(try town.row(bens) != nil)
        ada.apply(synced.answer)
        #expect(ada.replica[list]?.count == 450 + others)
    }

    @Test("Law 2: mutations before a failed part are not applied again, and others receive them")
    mutating func failure() async throws {
        let request = ada.request((0..<450).map { _ in ada.item(town.id(), in: list) })
        let told = Mutex<[Signals]>([])
        let sender = SignalSender { signals, _ in told.withLock { $0.append(signals) } }
        await #expect(throws: ServerError.self) {
            _ = try await service(signals: sender) { if $0 == 3 { throw ServerError(.busy, "The disk is away.") } }
                .sync(request, as: ada.account, at: town.now, through: AtOnce())
        }
        #expect(told.withLock { $0.map(\.moved) } == [[list]])
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        #expect(tablet.replica[list]?.count == 2 * RoundPusher.part + others)

        let again = try await service { _ in }.sync(request, as: ada.account, at: town.now, through: AtOnce())
        #expect(again.answer.acknowledged.number == request.mutations.last?.number && again.answer.outcomes.isEmpty)
        #expect(again.answer.records.count == 450)
        try tablet.sync()
        #expect(tablet.replica[list]?.count == 450 + others)
    }

    @Test("that fails at once notifies nobody")
    mutating func nothing() async throws {
        let request = ada.request((0..<100).map { _ in ada.item(town.id(), in: list) })
        let told = Mutex(0)
        let sender = SignalSender { _, _ in told.withLock { $0 += 1 } }
        await #expect(throws: ServerError.self) {
            _ = try await service(signals: sender) { _ in throw ServerError(.busy, "The disk is away.") }
                .sync(request, as: ada.account, at: town.now, through: AtOnce())
        }
        #expect(told.withLock { $0 } == 0)
    }

    @Test("notifies others of the changes of every part, and answers with them")
    mutating func differentFeeds() async throws {
        let second: FeedID = town.id()
        try ada.sync(ada.create(second))
        let items = [list, second].flatMap { feed in (0..<RoundPusher.part).map { _ in ada.item(town.id(), in: feed) } }
        let writes = Mutex(0)
        let synced = try await service { _ in writes.withLock { $0 += 1 } }
            .sync(ada.request(items), as: ada.account, at: town.now, through: AtOnce())
        #expect(writes.withLock { $0 } == 2)
        #expect(synced.signals.moved == [list, second])
        #expect(Set(synced.answer.feeds.map(\.feed)) == [list, second])
    }

    @Test("answers with what others have written between two parts, and with what a later part has changed")
    mutating func othersBetween() async throws {
        let items = (0..<350).map { _ in town.id() as RecordID<Never> }
        let edits =
            items.map { ada.item($0, in: list) }
            + [ada.mutation(list, .items, items[1], .set(["comment": "the usual brand"]))]
        let request = ada.request(edits)
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        let milk = tablet.request([tablet.mutation(list, .items, items[0], .set(["title": "Milk"]))])
        let (account, database, now) = (ada.account, town.database, town.now)
        let answer = try await service { write in
            guard write == 2 else { return }
            _ = try database.sync(milk, as: account, at: now)
        }.sync(request, as: ada.account, at: town.now, through: AtOnce()).answer
        let named = Dictionary(uniqueKeysWithValues: answer.records.map { ($0.change.id, $0.change) })
        #expect(named.count == items.count)
        #expect(named[items[0]]?.fields?["title"] == "Milk")
        #expect(named[items[1]]?.fields?["comment"] == "the usual brand")
        for item in items {
            let stored = try #require(try town.record(list, item))
            #expect(named[item]?.sequence == stored.state.sequence)
        }
    }

    @Test("does not read the records of its parts again if nobody else writes") mutating func recordsOnce() async throws
    {
        let counting = CountingDatabase(town.database)
        let items = (0..<250).map { _ in town.id() as RecordID<Never> }
        // The last part also changes a record of the first.
        let comment = ada.mutation(list, .items, items[1], .set(["comment": "the usual brand"]))
        let request = ada.request(items.map { ada.item($0, in: list) } + [comment])
        let service = SyncService(database: counting)
        let synced = try await service.sync(request, as: ada.account, at: town.now, through: AtOnce())
        #expect(synced.answer.records.count == 250)
        let changed = try #require(synced.answer.records.first { $0.change.id == items[1] }?.change)
        let stored = try #require(try town.record(list, items[1]))
        #expect(changed.fields?["comment"] == "the usual brand" && changed.sequence == stored.state.sequence)
        #expect(!counting.statements.contains { $0.contains("CROSS JOIN access") && $0.contains("wanted(feed, id)") })
    }

    @Test("a group is one part, whatever its size")
    mutating func group() async throws {
        let request = ada.request((0..<450).map { _ in ada.item(town.id(), in: list) }, grouped: true)
        let writes = Mutex(0)
        let synced = try await service { _ in writes.withLock { $0 += 1 } }
            .sync(request, as: ada.account, at: town.now, through: AtOnce())
        #expect(writes.withLock { $0 } == 1)
        #expect(synced.answer.records.count == 450)
    }

    @Test("a device with the same identity that sends meanwhile stops it: the answer says what was taken")
    mutating func copy() async throws {
        var twin = ada
        let request = ada.request((0..<450).map { _ in ada.item(town.id(), in: list) })
        let twins = twin.request((0..<200).map { _ in twin.item(town.id(), in: list) })
        let (account, database, now) = (ada.account, town.database, town.now)
        let synced = try await service { write in
            guard write == 1 else { return }
            _ = try database.sync(twins, as: account, at: now)
        }.sync(request, as: ada.account, at: town.now, through: AtOnce())
        #expect(synced.answer.device == .copied && synced.answer.outcomes.isEmpty)
        #expect(synced.answer.acknowledged.number == twins.mutations.last?.number)
    }

    @Test("Law 2: a copy that goes on between two parts stops it, and the answer names what was taken of every part")
    mutating func copyBetween() async throws {
        var twin = ada
        let request = ada.request((0..<350).map { _ in ada.item(town.id(), in: list) })
        let both = Array(request.mutations.prefix(2 * RoundPusher.part))
        let twins = twin.request(both + [twin.item(town.id(), in: list)])
        let (account, database, now) = (ada.account, town.database, town.now)
        let synced = try await service { write in
            guard write == 3 else { return }
            _ = try database.sync(twins, as: account, at: now)
        }.sync(request, as: ada.account, at: town.now, through: AtOnce())
        #expect(synced.answer.device == .copied)
        #expect(synced.answer.outcomes.map(\.number) == both.map(\.number))
        #expect(synced.answer.acknowledged.number == twins.mutations.last?.number)
    }

    @Test("reads of each earlier part no more than its last outcome") mutating func outcomesOnce() async throws {
        let counting = CountingDatabase(town.database)
        let request = ada.request((0..<300).map { _ in ada.item(town.id(), in: list) })
        let service = SyncService(database: counting)
        _ = try await service.sync(request, as: ada.account, at: town.now, through: AtOnce())
        let starts = counting.calls.filter { $0.sql.hasPrefix("SELECT device.last") && $0.values.count == 3 }
            .map { $0.values[1] }
        let last = request.acknowledged.number
        #expect(starts == [0, 100, 200].map { SQLValue.integer(last + Int64($0)) })
    }
}
