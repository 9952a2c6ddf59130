import Synchronization

/// Counts how often threads have sent statements and waited for the answers.
final class PostgresFlights: Sendable {
    private let number = Atomic<Int>(0)

    /// The number of times.
    var count: Int { number.load(ordering: .relaxed) }

    /// Counts one more.
    func add() { number.add(1, ordering: .relaxed) }
}
