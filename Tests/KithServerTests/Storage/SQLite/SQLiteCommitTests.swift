import Foundation
import KithServer
import Synchronization
import Testing

@Suite("Commits of SQLite") struct SQLiteCommitTests {
    private struct Crash: Error {}

    /// More time than the writes and reads of any test take.
    private static let long = Duration.seconds(600)

    /// The number of commits of one write, and of `count` more that come to wait while it holds the database.
    private func commits(ofWaiting count: Int, within time: Duration = Self.long) async throws -> Int {
        let database = try SQLiteDatabase.inMemory()
        database.timeOfWrites = time
        let commits = Mutex(0)
        database.onCommit = { moment in if moment == .after { commits.withLock { $0 += 1 } } }
        async let first: Void = database.write { _ in
            while database.waiting < count { sched_yield() }
        }
        try await withThrowingTaskGroup { group in
            while !database.isCommitting { await Task.yield() }
            for number in 0..<count { group.addTask { try await database.put("\(number)") } }
            try await group.waitForAll()
        }
        try await first
        return commits.withLock { $0 }
    }

    @Test("combines waiting writes into few commits") func gathering() async throws {
        #expect(try await commits(ofWaiting: 100) == 2)
    }

    @Test("a limited number of writes share a commit; the others wait for the next") func batch() async throws {
        // After the first: 128, 128 and 1.
        #expect(try await commits(ofWaiting: 257) == 1 + 3)
    }

    @Test("when the time is over, writes wait for the next commit; one is always taken")
    func timeIsOver() async throws {
        #expect(try await commits(ofWaiting: 5, within: .zero) == 1 + 5)
    }

    @Test("a write that takes longer than any time shares its commit with no later one")
    func longWrites() async throws {
        let database = try SQLiteDatabase.inMemory()
        let commits = Mutex(0)
        database.onCommit = { moment in if moment == .after { commits.withLock { $0 += 1 } } }
        async let first: Void = database.write { _ in
            while database.waiting < 3 { sched_yield() }
        }
        try await withThrowingTaskGroup { group in
            while !database.isCommitting { await Task.yield() }
            for _ in 0..<3 {
                group.addTask {
                    try await database.write { _ in
                        let end = ContinuousClock.now + Duration.milliseconds(50)
                        while ContinuousClock.now <= end { sched_yield() }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await first
        #expect(commits.withLock { $0 } == 1 + 3)
    }

    @Test(
        "A failed write is undone alone, and the others of its commit are applied once, also after other failures",
        arguments: [long, .zero])
    func failureAmongOthers(time: Duration) async throws {
        let database = try SQLiteDatabase.inMemory()
        database.timeOfWrites = time
        for (round, failing) in [[2], [0, 4], []].enumerated() {
            while database.isCommitting { await Task.yield() }
            async let first: Void = database.write { _ in
                while database.waiting < 5 { sched_yield() }
            }
            let failed: [Int] = await withTaskGroup(of: Int?.self) { group in
                while !database.isCommitting { await Task.yield() }
                for number in 0..<5 {
                    group.addTask {
                        do {
                            try await database.write { transaction in
                                try transaction.execute(
                                    "INSERT INTO meta (name, value) VALUES (?, '')", [.text("\(round) \(number)")])
                                if failing.contains(number) { throw Crash() }
                            }
                            return nil
                        } catch {
                            return number
                        }
                    }
                }
                return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
            }
            try await first
            #expect(failed.sorted() == failing)
            for number in 0..<5 { #expect(try database.has("\(round) \(number)") != failing.contains(number)) }
        }
    }

    @Test("Trap: Answers are built before the commit – nobody is answered before it, and everyone gets its error")
    func commitFails() async throws {
        let database = try SQLiteDatabase.inMemory()
        database.onCommit = { moment in if moment == .before { throw Crash() } }
        await #expect(throws: Crash.self) { try await database.put("lost") }
        #expect(throws: Crash.self) {
            try database.writeNow { try $0.execute("INSERT INTO meta (name, value) VALUES ('lost', '')") }
        }
        database.onCommit = nil
        #expect(try !database.has("lost"))
    }

    @Test("reads that follow the writes of one commit see all of them, on the connection that has written")
    func readsAfterCommit() async throws {
        try await Backend.file.withSQLite { database, _ in
            (database.timeOfWrites, database.timeOfReads) = (Self.long, Self.long)
            async let first: Void = database.write { _ in
                while database.waiting < 3 { sched_yield() }
            }
            while !database.isCommitting { await Task.yield() }
            let names = try await withThrowingTaskGroup(of: [String].self) { group in
                for name in ["a", "b", "c"] {
                    group.addTask {
                        try await database.write(inTurn: nil) { transaction in
                            try transaction.execute("INSERT INTO meta (name, value) VALUES (?, 'new')", [.text(name)])
                        } thenRead: { _, transaction in
                            // All other connections only read.
                            try transaction.query(
                                """
                                SELECT name FROM meta WHERE value = 'new'
                                    AND (SELECT query_only FROM pragma_query_only) = 0 ORDER BY name
                                """
                            ).map { try $0.text(0) }
                        }.read.get()
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await first
            #expect(names == [["a", "b", "c"], ["a", "b", "c"], ["a", "b", "c"]])
        }
    }

    @Test("a write is answered after its own read, before the next one is read")
    func answeredOneByOne() async throws {
        try await Backend.file.withSQLite { database, _ in
            (database.timeOfWrites, database.timeOfReads) = (Self.long, Self.long)
            let isAnswered = Mutex(false)
            async let holder: Void = database.write { _ in
                while database.waiting < 2 { sched_yield() }
            }
            while !database.isCommitting { await Task.yield() }
            async let first: Void = {
                _ = try await database.write(inTurn: nil) { _ in
                } thenRead: { _, _ in
                }
                isAnswered.withLock { $0 = true }
            }()
            while database.waiting < 1 { await Task.yield() }
            let second = try await database.write(inTurn: nil) { _ in
            } thenRead: { _, _ in
                for _ in 0..<10_000 where !isAnswered.withLock({ $0 }) { usleep(1_000) }
                return isAnswered.withLock { $0 }
            }
            #expect(try second.read.get())
            try await holder
            try await first
        }
    }

    @Test("a write stands if the read after it fails, and the read runs again on another connection")
    func readFailsAfterCommit() async throws {
        try await Backend.file.withSQLite { database, _ in
            let runs = Mutex(0)
            let (_, read) = try await database.write(inTurn: nil) { transaction in
                try transaction.execute("INSERT INTO meta (name, value) VALUES ('kept', '')")
            } thenRead: { _, transaction in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                if run == 1 {
                    // As SQLite does if the disk fails.
                    try transaction.execute("ROLLBACK")
                    throw Crash()
                }
                return run
            }
            #expect(try read.get() == 2)
            #expect(try database.has("kept"))
            try await database.put("later")
            #expect(try database.has("later"))
        }
    }

    @Test("a crash after the commit leaves it committed and unanswered")
    func crashAfterCommit() async throws {
        let database = try SQLiteDatabase.inMemory()
        database.onCommit = { moment in if moment == .after { throw Crash() } }
        await #expect(throws: Crash.self) { try await database.put("kept") }
        #expect(try database.has("kept"))
    }
}
