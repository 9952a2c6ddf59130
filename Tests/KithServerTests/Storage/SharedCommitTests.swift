import Foundation
import KithModel
import KithServer
import Processes
import Synchronization
import Testing

@Suite("Writes that share a commit", .postgresServer) struct SharedCommitTests {
    private static let writes = 10

    @Test("are counted as one commit, in SQLite and in PostgreSQL", arguments: Backend.concurrent)
    func counted(backend: Backend) async throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        var place = DatabaseAddress.file(folder.database)
        if backend == .postgres {
            let server = try #require(PostgresServer.current)
            place = .postgres(url: try await server.url().url)
        }
        let commits = Mutex(0)
        let opened = try await ServerDatabase.open(
            place, .patient, at: HandClock.start, newEpoch: false, whenCommitted: { commits.withLock { $0 += 1 } })
        let (database, occupation, feed) = (opened.database, Occupation(), FeedID(UUID()))
        (database as? SQLiteDatabase)?.timeOfWrites = .seconds(600)
        async let holding: Void = database.write(inTurn: FeedTurn(of: feed, for: nil)) { transaction in
            try Self.put("held", in: transaction)
            occupation.hold(transaction)
        }
        try await occupation.waitUntilHeld()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.writes {
                let device = FeedTurn.Device(DeviceID(UUID()), of: AccountID(UUID()))
                group.addTask {
                    try await database.write(inTurn: FeedTurn(of: feed, for: device)) { transaction in
                        try Self.put("\(number)", in: transaction)
                    }
                }
            }
            try await Limit("all wait").until { Self.waiting(for: database) == Self.writes }
            #expect(commits.withLock { $0 } == 0)
            occupation.release()
            try await group.waitForAll()
        }
        try await holding
        #expect(commits.withLock { $0 } == 2, "The write that has held the others, and the others together.")
        try await opened.close()
    }

    private static func put(_ name: String, in transaction: any Transaction) throws {
        try transaction.execute("INSERT INTO meta (name, value) VALUES (?, '')", [.text(name)])
    }

    /// The number of writes that wait.
    private static func waiting(for database: any Database) -> Int {
        (database as? SQLiteDatabase)?.waiting ?? (database as? PostgresDatabase)?.waiting ?? 0
    }
}
