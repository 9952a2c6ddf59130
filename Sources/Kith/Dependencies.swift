import Foundation
import Synchronization
package import KithModel

/// What the client takes from outside: the time and randomness. They are passed in, so that a simulation can run under
/// one seed.
package struct Dependencies: Sendable {
    package var now: @Sendable () -> Timestamp
    package var random: RandomSource
    /// Returns after a time, or throws when the task is cancelled.
    package var pause: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Timestamp, random: RandomSource,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.now = now
        self.random = random
        self.pause = pause
    }

    /// The device's clock and the system's randomness.
    package static let system = Dependencies(now: { Timestamp(Date()) }, random: RandomSource())

    /// A new identifier of version 7.
    func makeID<Record>(_ kind: Record.Type = Record.self) -> RecordID<Record> {
        var random = random
        return RecordID(.version7(time: now(), using: &random))
    }
}

/// A random number generator that can be shared: the system's, or a seeded one.
package struct RandomSource: RandomNumberGenerator, Sendable {
    private let draw: @Sendable () -> UInt64

    /// The system's randomness.
    package init() {
        draw = {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
    }

    /// A source that draws from `generator`. Access is serialized.
    package init(_ generator: consuming some RandomNumberGenerator & Sendable) {
        let shared = Shared(generator)
        draw = { shared.next() }
    }

    package mutating func next() -> UInt64 { draw() }

    private final class Shared<Generator: RandomNumberGenerator & Sendable>: Sendable {
        private let generator: Mutex<Generator>
        init(_ generator: consuming Generator) { self.generator = Mutex(generator) }
        func next() -> UInt64 { generator.withLock { $0.next() } }
    }
}
