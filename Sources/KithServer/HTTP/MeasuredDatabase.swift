import KithModel
import Metrics

/// A database that counts what it is asked, and how often it fails.
///
/// Writes by commits tells how many writes one wait for the disk serves.
struct MeasuredDatabase: Database {
    private let database: any Database
    private let writes: Counter
    private let errors: Counter

    init(_ database: any Database, _ registry: PrometheusRegistry) {
        self.database = database
        writes = Counter(label: "kith_writes", factory: registry)
        errors = Counter(label: "kith_database_errors", factory: registry)
    }

    var server: ServerID { database.server }

    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        writes.increment()
        return try await counting { try await database.write(body) }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await counting { try await database.read(body) }
    }

    /// What the database itself cannot do is `busy`; what it is asked wrongly has other codes.
    private func counting<T>(_ work: () async throws -> T) async throws -> T {
        do {
            return try await work()
        } catch let error as ServerError where error.code == .busy || error.code == .internalError {
            errors.increment()
            throw error
        }
    }
}
