import KithModel
import KithServer
import Processes
import Synchronization
import Testing

@Suite(
    "Fan-outs of profiles beside pushes and other nodes", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct ConcurrentFanoutTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    /// How often transactions ran.
    private final class Runs: Sendable {
        private let counted = Mutex(0)
        var count: Int { counted.withLock { $0 } }
        func note() { counted.withLock { $0 += 1 } }
    }

    /// Holds the feed of one of Ada's contacts like a push of Ada does, until `count` steps of the fan-out wait for it. Then
    /// writes the row of `reach`, as a push that has changed the profile too.
    ///
    /// - Returns: The signals of the steps, and how often all transactions together ran.
    private static func race(
        _ count: Int, for feed: FeedID, of account: AccountID, at now: Timestamp, in database: PostgresDatabase
    ) async throws -> (signals: [Signals], runs: Int) {
        let runs = Runs()
        let (locked, lock) = AsyncStream<Void>.makeStream()
        let waiting = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted"
        return try await withThrowingTaskGroup(of: Signals.self) { group in
            group.addTask {
                defer { lock.finish() }
                try await database.write { transaction in
                    runs.note()
                    _ = try transaction.query("SELECT id FROM feed WHERE id = ? FOR UPDATE", [.id(feed)])
                    lock.finish()
                    for _ in 0..<1_000 {
                        if try transaction.query(waiting).first?.integer(0) == Int64(count) { break }
                        _ = try transaction.query("SELECT 1 FROM pg_sleep(0.01)")
                    }
                    try transaction.execute("UPDATE reach SET again = again WHERE account = ?", [.id(account)])
                }
                return Signals()
            }
            for await _ in locked {}
            for _ in 0..<count {
                group.addTask {
                    try await database.write { transaction in
                        runs.note()
                        return try ProfileFanout.take(at: now, in: transaction)
                    }
                }
            }
            let signals = try await group.reduce(into: []) { $0.append($1) }
            return (signals.filter { $0 != Signals() }, runs.count)
        }
    }

    @Test(
        "Trap: a push locks feeds, and then the progress – so do the steps: none meets a deadlock, and two are one",
        arguments: [1, 2])
    func steps(count: Int) async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let town = try Town(database)
            var (ada, ben, cleo) = (try town.phone(), try town.phone(), try town.phone())
            try town.connect(&ben, &ada)
            try town.connect(&cleo, &ada)
            try town.reach()
            try ada.sync(ada.profile(["status": "by the sea"]))
            let before = try #require(try town.row(ben.home))
            let (signals, runs) = try await Self.race(
                count, for: ben.home, of: ada.account, at: town.now, in: database)
            #expect(runs == count + 1, "A transaction ran again.")
            #expect(signals.map(\.moved) == [[ben.home, cleo.home]])
            #expect(try town.row(ben.home)?.sequence == before.sequence + 1)
            for friend in [ben, cleo] {
                #expect(try town.record(friend.home, ada.me)?.state.fields["status"] == "by the sea")
            }
        }
    }

    @Test("Trap: a node that waits for the step of another one has locked no feed, so that neither waits for the other")
    func otherNode() async throws {
        try await server.withDatabase { database, address in
            let town = try Town(database)
            var (ada, ben) = (try town.phone(), try town.phone())
            try town.connect(&ben, &ada)
            let list: FeedID = town.id()
            try ada.sync(ada.create(list))
            try town.join(ben, list, of: ada, as: .viewer)
            try town.reach()
            try town.delete(ada.account)
            let take: @Sendable (any Transaction) throws -> Signals = { [now = town.now] in
                try ProfileFanout.take(at: now, in: $0)
            }
            // The first step locks the feed of Ben, and the second one that of the list and again that of Ben.
            let other = try await Occupation.run(in: database, after: { _ = try take($0) }) { occupation in
                async let step = database.write(take)
                try await server.wait(until: "count(*) = 1 FROM pg_locks WHERE NOT granted", at: address)
                let feeds = """
                    SELECT count(*) FROM pg_locks AS held JOIN pg_locks AS awaited USING (pid)
                    WHERE held.granted AND held.relation = 'feed'::regclass AND NOT awaited.granted
                    """
                #expect(try await server.sql(feeds, at: address) == ["0"])
                occupation.release()
                return try await step
            }
            #expect(other.closedAccounts == [ada.account], "It takes the next step, not the same one.")
            try town.reach()
            #expect(try town.role(ben.account, list) == .owner)
        }
    }
}
