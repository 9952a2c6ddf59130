import KithModel
import KithServer
import Synchronization

extension RandomBytes {
    /// The random bytes of a seed, in place of the operating system's.
    init(seed: UInt64) {
        let generator = Mutex(SplitMix64(seed: seed))
        self.init {
            generator.withLock { generator in (0..<32).map { _ in UInt8(truncatingIfNeeded: generator.next()) } }
        }
    }
}
