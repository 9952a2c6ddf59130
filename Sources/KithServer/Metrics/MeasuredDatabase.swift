import KithModel
import Metrics

/// A database that counts its writes and its failures.
///
/// Writes divided by commits is the number of writes that share a commit.
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
    var hasSeveralWriters: Bool { database.hasSeveralWriters }

    func perform(_ work: any TransactionWork, as mode: TransactionMode) async throws {
        if mode.isWrite { writes.increment() }
        try await counting { try await database.perform(work, as: mode) }
    }

    func waitUntilDurable() async throws { try await counting { try await database.waitUntilDurable() } }

    private func counting(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch {
            count(error)
            throw error
        }
    }

    /// Counts failures of the database itself, which have these two codes. All other codes are faults of the request.
    private func count(_ error: any Error) {
        if let code = (error as? ServerError)?.code, code == .busy || code == .internalError { errors.increment() }
    }
}
