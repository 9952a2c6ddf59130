import Foundation
import Synchronization
import KithModel

/// A random number generator that can be shared. It is the system's or a seeded one.
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
