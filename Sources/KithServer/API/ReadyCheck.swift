/// Checks whether the database can be read and written, at most once per second: anybody may ask, and the check may
/// write.
///
/// A result is valid for one second, also if the check fails. All requests in this time receive the same result.
actor ReadyCheck {
    /// How long a result is valid.
    static let holds = Duration.seconds(1)

    private let database: GuardedDatabase
    private let clock: ServerClock
    private var last: (time: Duration, check: Task<String, any Error>)?

    init(_ database: GuardedDatabase, clock: ServerClock) {
        self.database = database
        self.clock = clock
    }

    /// Throws the error that prevents reading or writing the database.
    ///
    /// - Returns: What the database is called: `SQLite` or `PostgreSQL`.
    @discardableResult func check() async throws -> String {
        let now = clock.uptime()
        if let last, now - last.time < Self.holds {
            do {
                return try await last.check.value
            } catch let error as ServerError {
                // Whoever asked first has logged the cause.
                throw ServerError(error.code, error.sentence, path: error.path, retryAfter: error.retryAfter)
            }
        }
        let check = Task { [database] in
            let name = try await database.read { transaction in
                _ = try transaction.query("SELECT 1")
                return transaction.dialect.name
            }
            try await database.checkThatWritesSucceed()
            return name
        }
        last = (now, check)
        return try await check.value
    }
}
