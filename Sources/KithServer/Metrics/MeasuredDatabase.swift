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
    var hasTurns: Bool { database.hasTurns }

    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await write(inTurn: nil, body)
    }

    func write<T: Sendable>(
        inTurn turn: FeedTurn?, _ body: @escaping @Sendable (any Transaction) throws -> T
    ) async throws -> T {
        writes.increment()
        return try await counting { try await database.write(inTurn: turn, body) }
    }

    func write<T: Sendable, Value: Sendable>(
        inTurn turn: FeedTurn?, _ body: @escaping @Sendable (any Transaction) throws -> T,
        thenRead read: @escaping @Sendable (T, any Transaction) throws -> Value
    ) async throws -> (written: T, read: Result<Value, any Error>) {
        writes.increment()
        let both = try await counting { try await database.write(inTurn: turn, body, thenRead: read) }
        if case .failure(let error) = both.read { count(error) }
        return both
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await counting { try await database.read(body) }
    }

    func peek<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await counting { try await database.peek(body) }
    }

    func check<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await counting { try await database.check(body) }
    }

    func waitUntilDurable() async throws { try await counting { try await database.waitUntilDurable() } }

    private func counting<T>(_ work: () async throws -> T) async throws -> T {
        do {
            return try await work()
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
