import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("Large work") struct HeavyWorkTests {
    private let folder = Folder()
    private static let (ada, ben) = (IPAddress("192.0.2.1")!, IPAddress("192.0.2.2")!)

    private var oneAtOnce: HeavyWork {
        var limits = ServerLimits()
        limits.heavyAtOnce = 1
        return HeavyWork(limits)
    }

    @Test("runs one at a time, and the addresses take turns, however much one of them brings")
    func turns() async throws {
        let work = oneAtOnce
        let order = Order()
        let (held, release) = AsyncStream.makeStream(of: Void.self)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await work.run(for: Self.ada, cost: 1) {
                    begin.finish()
                    for await _ in held {}
                }
            }
            for await _ in begun {}
            let comers = [("a", Self.ada), ("a", Self.ada), ("b", Self.ben), ("a", Self.ada)]
            for (index, (name, address)) in comers.enumerated() {
                group.addTask {
                    try await work.run(for: address, cost: 1) { order.names.withLock { $0.append(name) } }
                }
                while work.waiting <= index { await Task.yield() }
            }
            let begunEarly = order.names.withLock { $0 }
            #expect(begunEarly == [])
            release.finish()
            try await group.waitForAll()
        }
        let ran = order.names.withLock { $0 }
        #expect(ran.count == 4 && ran.prefix(2).contains("b"), "\(ran)")
        #expect(work.waiting == 0)
    }

    #if os(Linux)
        @Test("runs at a low priority, also after it was suspended and while it reads the database; nothing else does")
        func priority() async throws {
            let work = oneAtOnce
            for database in [try SQLiteDatabase(path: folder.database), try SQLiteDatabase.inMemory()] {
                let within = try await work.run(for: Self.ada, cost: 1) {
                    var found = [niceness()]
                    found.append(try await database.read { _ in niceness() })
                    try await database.write { _ in }
                    found.append(niceness())
                    return found
                }
                let low = YieldingThreads.niceness
                #expect(within == [low, low, low])
                let outside = [niceness(), try await database.read { _ in niceness() }]
                #expect(outside.allSatisfy { $0 < low }, "\(outside)")
                let writing = try await work.run(for: Self.ada, cost: 1) {
                    try await database.write { _ in niceness() }
                }
                #expect(writing < low, "The one writer is waited for by all.")
            }
        }

        @Test("ends its threads when it ends")
        func threads() async throws {
            weak var threads: HeavyWork?
            let thread: String
            do {
                let work = oneAtOnce
                threads = work
                thread = try await work.run(for: Self.ada, cost: 1) {
                    "/proc/" + (try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))
                }
                #expect(FileManager.default.fileExists(atPath: thread))
            }
            #expect(threads == nil)
            while FileManager.default.fileExists(atPath: thread) { await Task.yield() }
        }
    #endif

    @Test("includes only rounds that send or read much")
    mutating func rounds() async throws {
        let town = try Town()
        var ada = try town.phone()
        let list: FeedID = town.id()
        let scheduler = CountingScheduler()
        let service = SyncService(database: town.database)
        func round(_ mutations: [Mutation]) async throws -> [Int] {
            scheduler.costs.withLock { $0 = [] }
            let synced = try await service.sync(
                ada.request(mutations), as: ada.account, at: town.now, through: scheduler)
            ada.apply(synced.answer)
            let costs = scheduler.costs.withLock { $0 }
            #expect(synced.isLarge == costs.contains(WorkUnits.bytes(Limits.pageBytes)))
            return costs
        }
        let whole = WorkUnits.bytes(Limits.pageBytes)
        #expect(try await round([ada.create(list)]) == [])
        #expect(try await round((0..<20).map { _ in ada.item(town.id(), in: list) }) == [])
        #expect(try await round((0..<300).map { _ in ada.item(town.id(), in: list) }) == [300, whole])
        #expect(try await round([]) == [])
        ada.token = nil
        #expect(try await round([]) == [])
        #expect(try await round([]) == [whole])
    }
}

#if os(Linux)
    /// The priority of the calling thread: 19 is the lowest, 0 the usual one.
    private func niceness() -> Int32 { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
#endif

/// In what order work was begun.
private final class Order: Sendable {
    let names = Mutex<[String]>([])
}

/// Runs everything at once, and keeps what each was said to cost.
private final class CountingScheduler: WorkScheduler {
    let costs = Mutex<[Int]>([])

    func run<Value: Sendable>(
        _ cost: Int, goesOn: Bool, _ body: () async throws -> Value
    ) async throws -> Value {
        costs.withLock { $0.append(cost) }
        return try await body()
    }
}
