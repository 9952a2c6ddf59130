import KithModel
import KithServer

/// A database for tests. It passes everything on to the database behind it, except for what its type changes.
protocol DatabaseDouble: Database {
    /// The database behind it.
    var database: any Database { get }
}

extension DatabaseDouble {
    var server: ServerID { database.server }
    var hasTurns: Bool { database.hasTurns }

    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.write(body)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.read(body)
    }
}
