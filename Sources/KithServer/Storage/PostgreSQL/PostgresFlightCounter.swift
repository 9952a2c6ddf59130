import Synchronization

/// Counts the flights of all connections: how often threads have sent statements and waited for the answers.
final class PostgresFlightCounter: Sendable {
    private let number = Atomic<Int>(0)

    /// The number of flights.
    var count: Int { number.load(ordering: .relaxed) }

    /// Counts one more.
    func add() { number.add(1, ordering: .relaxed) }
}
