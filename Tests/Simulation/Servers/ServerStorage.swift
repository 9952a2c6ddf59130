import KithServer

/// Where simulated servers have their databases.
package enum ServerStorage: Sendable {
    /// SQLite in memory.
    case memory
    /// PostgreSQL, where each server has a schema of its own.
    case postgres(PostgresSchemas)

    /// What to add to the command that replays a seed.
    var replayOptions: String {
        switch self {
        case .memory: ""
        case .postgres: " --postgres"
        }
    }

    /// Creates an empty database. `random` is its source of random bytes, and `crash` says where the next commit is interrupted.
    func store(_ random: RandomBytes, crash: Shared<Crash.Point>) throws -> any ServerStore {
        switch self {
        case .memory: try MemoryStore(random, crash: crash)
        case .postgres(let schemas): try PostgresStore(in: schemas, random, crash: crash)
        }
    }
}
