import GRDB
import KithModel
import KithServer

/// The database of a simulated server in SQLite, in memory.
final class MemoryStore: ServerStore {
    private static let databases = EmptyDatabases { try SQLiteDatabase.createTables(in: $0) }

    /// The connection of the server's first database.
    private let queue: DatabaseQueue
    private let crash: Shared<Crash.Point>
    private var current: SQLiteDatabase
    private var backup: SQLiteDatabase?

    init(_ random: RandomBytes, crash: Shared<Crash.Point>) throws {
        queue = try Self.databases.take()
        self.crash = crash
        current = try SQLiteDatabase(inMemory: queue, at: Timestamp(milliseconds: 0), random: random)
        arm()
    }

    var database: any ImmediateDatabase { InlineDatabase(database: current) }

    var hasBackup: Bool { backup != nil }

    func backUp() throws { backup = try current.copy() }

    func restore() throws {
        guard let backup else { return }
        current = try backup.copy()
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
