import KithModel

/// Checks whether the database can be read and written, at most once per second: anybody may ask, and the check may
/// write.
///
/// A result is valid for one second, also if the check fails. All requests in this time receive the same result.
actor ReadyCheck {
    /// How long a result is valid.
    static let holds = Duration.seconds(1)

    private let database: WritableDatabase
    private let clock: ServerClock
    private var last: (time: Duration, check: Task<Void, any Error>)?

    init(_ database: WritableDatabase, clock: ServerClock) {
        self.database = database
        self.clock = clock
    }

    /// Throws the error that prevents reading or writing the database.
    func check() async throws {
        let now = clock.uptime()
        if let last, now - last.time < Self.holds { return try await last.check.value }
        let check = Task { [database] in
            _ = try await database.read { try $0.query("SELECT 1") }
            try await database.checkThatWritesSucceed()
        }
        last = (now, check)
        try await check.value
    }
}
