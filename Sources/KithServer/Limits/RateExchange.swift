/// Carries what this node has admitted to the table that all nodes share, and the answers back.
package struct RateExchange: Sendable {
    /// How often it is done.
    package static let interval = Duration.seconds(1)

    private let limits: [any SharedLimit]
    private let database: any Database
    private let clock: ServerClock

    /// - Parameters:
    ///   - limits: The limits that nodes share.
    ///   - database: The database with the table.
    ///   - clock: The source of the uptime.
    package init(_ limits: [any SharedLimit], _ database: any Database, _ clock: ServerClock) {
        (self.limits, self.database, self.clock) = (limits, database, clock)
    }

    /// Reports once. Without the database, the limits go on alone, and the next report has what this one had.
    package func run() async {
        let now = clock.uptime()
        let uses = limits.flatMap { $0.report(at: now) }
        do {
            let times =
                if uses.isEmpty {
                    try await database.read { try RateUse.read(in: $0) }
                } else {
                    try await database.write { try RateUse.add(uses, in: $0) }
                }
            let answered = clock.uptime()
            for limit in limits { limit.merge(times[limit.kind] ?? [:], at: answered) }
        } catch {
            for limit in limits { limit.putBack() }
        }
    }
}
