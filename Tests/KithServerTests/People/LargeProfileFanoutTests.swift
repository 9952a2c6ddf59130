import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("A profile with thousands of connections", .timeLimit(.minutes(15))) struct LargeProfileFanoutTests {
    private let folder = Folder()

    private struct Crash: Error {}

    /// Not a multiple of what one transaction tells.
    private static let count = 3_050

    @Test("It reaches each of them exactly once, at most five hundred in one transaction") func exactlyOnce() throws {
        let town = try Town()
        var ada = try town.phone()
        let friends = try Crowd.lay(Self.count, around: ada.account, in: town.database)
        try ada.sync(ada.profile(["status": "by the sea"]))
        var told: [FeedID: Int] = [:]
        var steps = 0
        while try town.database.readNow({ try ProfileFanout.isWaiting(in: $0) }) {
            let step = try town.database.writeNow { [now = town.now] in try ProfileFanout.take(at: now, in: $0) }
            #expect(step.moved.count <= 500)
            for feed in step.moved { told[feed, default: 0] += 1 }
            steps += 1
            try #require(steps <= Self.count, "It comes to no end.")
        }
        // 6 times 500, and once 50.
        #expect(steps == 7)
        #expect(Set(told.keys) == Set(friends) && told.values.allSatisfy { $0 == 1 })
        #expect(try Crowd.toldOnce(of: ada.account, in: town.database) == Self.count)
    }

    @Test(
        "It resumes after a crash around a commit, and no record changes twice",
        arguments: [SQLiteDatabase.CommitMoment.before, .after])
    func crash(moment: SQLiteDatabase.CommitMoment) throws {
        let account = try Self.crash(at: moment, folder)
        let restarted = try Town(SQLiteDatabase(path: folder.database))
        #expect(try Crowd.told(of: account, in: restarted.database) == (moment == .before ? 1_000 : 1_500))
        let steps = try restarted.reach()
        #expect(steps == (moment == .before ? 5 : 4))
        #expect(try Crowd.toldOnce(of: account, in: restarted.database) == Self.count)
    }

    /// Tells 1,000 people, and crashes while it tells the next five hundred.
    private static func crash(at moment: SQLiteDatabase.CommitMoment, _ folder: Folder) throws -> AccountID {
        let town = try Town(SQLiteDatabase(path: folder.database))
        var ada = try town.phone()
        _ = try Crowd.lay(count, around: ada.account, in: town.database)
        try ada.sync(ada.profile(["status": "by the sea"]))
        let now = town.now
        for _ in 0..<2 { _ = try town.database.writeNow { try ProfileFanout.take(at: now, in: $0) } }
        let database = try town.sqlite
        database.onCommit = { if $0 == moment { throw Crash() } }
        #expect(throws: Crash.self) { try town.database.writeNow { _ = try ProfileFanout.take(at: now, in: $0) } }
        return ada.account
    }

    @Test("A server that stops in the middle resumes after a restart, and no record changes twice")
    func restart() async throws {
        let first = try SQLiteDatabase(path: folder.database)
        let beside = try SQLiteDatabase(besideServer: folder.database)
        let account = try await TestServer.run(database: first) { server in
            let village = Village(server: server, database: first)
            var ada = try await village.person()
            let account = ada.account
            _ = try Crowd.lay(Self.count, around: account, in: first)
            let isDead = Mutex(false)
            first.onCommit = { moment in
                switch moment {
                case .before: if isDead.withLock({ $0 }) { throw Crash() }
                case .after:
                    let told = (try? Crowd.told(of: account, in: beside)) ?? 0
                    if told >= 1_000 { isDead.withLock { $0 = true } }
                }
            }
            try await village.set(["status": "by the sea"], of: &ada)
            while !isDead.withLock({ $0 }) { await Task.yield() }
            return account
        }
        first.onCommit = nil
        #expect(try Crowd.told(of: account, in: beside) == 1_000)
        #expect(try beside.readNow { try ProfileFanout.isWaiting(in: $0) })

        let second = try SQLiteDatabase(path: folder.database)
        try await TestServer.run(database: second) { _ in
            while try beside.readNow({ try ProfileFanout.isWaiting(in: $0) }) { await Task.yield() }
        }
        #expect(try Crowd.toldOnce(of: account, in: beside) == Self.count)
    }

    @Test("Another person's edit that arrives meanwhile is committed long before the end")
    func otherEdits() async throws {
        try await Backend.file.withSQLite { database, folder in
            let beside = try SQLiteDatabase(besideServer: folder.database)
            try await TestServer.run(database: database) { server in
                let village = Village(server: server, database: database)
                var ada = try await village.person()
                var grace = try await village.person()
                let list = try await grace.makeList("Groceries", with: server)
                let account = ada.account
                _ = try Crowd.lay(Self.count, around: account, in: database)

                let isBegun = Mutex(false)
                let toldBeforeEdit = Mutex<Int?>(nil)
                database.onCommit = { moment in
                    if toldBeforeEdit.withLock({ $0 != nil }) { return }
                    let told = try Crowd.told(of: account, in: beside)
                    switch moment {
                    case .before:
                        if told == 0 { return }
                        isBegun.withLock { $0 = true }
                        // Goes on when the edit waits for the next commit.
                        for _ in 0..<30_000 where database.waiting == 0 { usleep(1_000) }
                    case .after:
                        let items = try beside.readNow {
                            try $0.query("SELECT id FROM record WHERE feed = ? AND collection = 'item'", [.id(list)])
                        }
                        if !items.isEmpty { toldBeforeEdit.withLock { $0 = told } }
                    }
                }
                try await village.set(["status": "by the sea"], of: &ada)
                while !isBegun.withLock({ $0 }) { await Task.yield() }
                let tea = grace.mutation(1, .items, UUID(), in: list, set: ["title": "Tea", "position": "a0"])
                #expect(try await grace.sync([tea], with: server).outcomes.isEmpty)
                let told = toldBeforeEdit.withLock { $0 }
                #expect(try #require(told) <= Self.count - 2 * ProfileFanout.step)
                database.onCommit = nil
                while try await database.read({ try ProfileFanout.isWaiting(in: $0) }) { await Task.yield() }
                #expect(try Crowd.toldOnce(of: account, in: database) == Self.count)
            }
        }
    }
}

/// People who are connected to somebody, written into the database instead of met one by one.
private enum Crowd {
    /// Writes `count` people who have `account` as a connection, and returns their feeds.
    static func lay(_ count: Int, around account: AccountID, in database: any ImmediateDatabase) throws -> [FeedID] {
        let friends = (1...UInt64(count)).map {
            AccountID(.init(high: 0x0190_0000_0001_7000, low: 0x8000_0000_0000_0000 | $0))
        }
        try database.writeNow { transaction in
            try transaction.insert(
                into: "account", ["id", "kind", "created"],
                friends.map { [.id($0), .text("anonymous"), .integer(1)] })
            try transaction.insert(
                into: "feed", ["id", "kind", "sequence", "digest", "live", "written_at", "horizon", "closed"],
                friends.map {
                    [
                        .id($0), .text("account"), .integer(1), .integer(0), .integer(1), .integer(1), .integer(0),
                        .integer(0),
                    ]
                })
            try transaction.insert(
                into: "access", ["account", "feed", "role"],
                friends.map { [.id($0), .id($0), .text(Role.owner.rawValue)] })
            try transaction.insert(
                into: "record",
                ["feed", "id", "collection", "sequence", "modified", "fields", "stamps", "deleted"],
                friends.map {
                    [
                        .id($0), .id(account), .text("contact"), .integer(1), .integer(1),
                        .text(#"{"asked":1,"wish":"connect"}"#), .text(#"{"":[1,1,1]}"#), .integer(0),
                    ]
                })
        }
        return friends.map { $0.retyped() }
    }

    /// How many have the new status of `account`.
    static func told(of account: AccountID, in database: any ImmediateDatabase) throws -> Int {
        try count(account, "", in: database)
    }

    /// How many have the new status of `account` as the only change of their feed.
    static func toldOnce(of account: AccountID, in database: any ImmediateDatabase) throws -> Int {
        try count(account, "AND record.sequence = 2 AND feed.sequence = 2", in: database)
    }

    private static func count(_ account: AccountID, _ condition: String, in database: any ImmediateDatabase) throws
        -> Int
    {
        try database.readNow { transaction in
            let rows = try transaction.query(
                """
                SELECT COUNT(*) FROM record JOIN feed ON feed.id = record.feed
                WHERE record.id = ? AND collection = 'contact' AND fields LIKE '%"by the sea"%' \(condition)
                """, [.id(account)])
            return Int(try rows[0].integer(0))
        }
    }
}
