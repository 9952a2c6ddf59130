import KithModel

/// Finds out whether the database can be read and written, at most once a second: anybody may ask, and asking may write.
///
/// What it finds holds for a second, also where it fails. Those who ask meanwhile get the same answer.
actor ReadyCheck {
    /// How long an answer holds.
    static let holds = Duration.seconds(1)

    private let database: WritableDatabase
    private let clock: ServerClock
    private var last: (time: Duration, check: Task<Void, any Error>)?

    init(_ database: WritableDatabase, clock: ServerClock) {
        self.database = database
        self.clock = clock
    }

    /// Throws what keeps the database from being read or written.
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
