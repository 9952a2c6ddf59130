import Foundation
import KithServer
import Processes

/// Occupies connections until it is released.
final class Occupation: Sendable {
    private let begun = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    /// Runs `body` while a write holds a connection: in its turn, and after its first statements. The write ends with
    /// `body`, or when `body` releases it.
    static func run<Value>(
        in database: PostgresDatabase, inTurn turn: FeedTurn? = nil,
        after statements: @escaping @Sendable (any Transaction) throws -> Void = { _ in },
        _ body: (Occupation) async throws -> Value
    ) async throws -> Value {
        let occupation = Occupation()
        async let holding: Void = database.write(inTurn: turn) { transaction in
            try statements(transaction)
            occupation.hold(transaction)
        }
        let value: Value
        do {
            defer { occupation.release() }
            try await occupation.waitUntilHeld()
            value = try await body(occupation)
        }
        try await holding
        return value
    }

    /// Waits until it is released, or until every ``Limit`` is over, so that a test that has failed comes to its end.
    @Sendable func hold(_ transaction: any Transaction) {
        begun.signal()
        _ = released.wait(timeout: .now() + .seconds(150))
    }

    func waitUntilHeld(_ count: Int = 1) async throws {
        for _ in 0..<count {
            try await Limit("a connection is held").until { self.begun.wait(timeout: .now()) == .success }
        }
    }

    func release(_ count: Int = 1) { for _ in 0..<count { released.signal() } }
}
