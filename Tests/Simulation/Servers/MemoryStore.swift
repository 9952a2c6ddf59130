import GRDB
import KithModel
import KithServer

/// The database of a simulated server in SQLite, in memory.
final class MemoryStore: ServerStore {
    private static let databases = EmptyDatabases { try SQLiteDatabase.createTables(in: $0) }

    /// The connection, which stays the same after a restore, so that its statements stay prepared.
    private let queue: DatabaseQueue
    private let random: RandomBytes
    private let crash: Shared<Crash.Point>
    private var current: SQLiteDatabase
    private var backup: CopiedTables.Content?

    init(_ random: RandomBytes, crash: Shared<Crash.Point>) throws {
        queue = try Self.databases.take()
        self.random = random
        self.crash = crash
        current = try Self.open(queue, random)
        arm()
    }

    private static func open(_ queue: DatabaseQueue, _ random: RandomBytes) throws -> SQLiteDatabase {
        try SQLiteDatabase(inMemory: queue, at: Timestamp(milliseconds: 0), random: random)
    }

    var database: any ImmediateDatabase { InlineDatabase(database: current) }

    var hasBackup: Bool { backup != nil }

    func backUp() throws { backup = try Self.databases.content(of: queue) }

    func restore() throws {
        guard let backup else { return }
        try Self.databases.replaceContent(of: queue, by: backup)
        current = try Self.open(queue, random)
        try current.newEpoch()
        arm()
        self.backup = nil
    }

    func end() { Self.databases.giveBack(queue) }

    private func arm() {
        let crash = crash
        current.onCommit = { moment in
            switch (moment, crash.now) {
            case (.before, .beforeCommit), (.after, .afterCommit): throw Crash()
            default: break
            }
        }
    }
}
