import Foundation
import KithServer
import Processes

/// Occupies connections until it is released.
final class Occupation: Sendable {
    private let begun = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    @Sendable func hold(_ transaction: any Transaction) {
        begun.signal()
        released.wait()
    }

    func waitUntilHeld(_ count: Int = 1) async throws {
        for _ in 0..<count {
            try await Limit("a connection is held").until { self.begun.wait(timeout: .now()) == .success }
        }
    }

    func release(_ count: Int = 1) { for _ in 0..<count { released.signal() } }
}
