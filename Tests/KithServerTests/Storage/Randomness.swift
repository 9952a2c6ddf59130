import KithModel
import Synchronization

/// What a server is handed in place of the operating system's random bytes.
final class Randomness: Sendable {
    private let generator: Mutex<SplitMix64>

    init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

    var bytes: @Sendable () -> [UInt8] {
        { self.generator.withLock { generator in (0..<32).map { _ in UInt8(truncatingIfNeeded: generator.next()) } } }
    }
}
