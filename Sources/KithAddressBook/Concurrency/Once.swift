import Synchronization

/// A value that is computed at its first use and kept. Concurrent callers wait until it is computed.
struct Once<Value: Sendable>: ~Copyable, Sendable {
    private let kept = Mutex<Value?>(nil)

    /// The value if it has been computed, else nil.
    var value: Value? { kept.withLock { $0 } }

    /// The value. The first call computes it with `make`.
    func callAsFunction(_ make: () -> Value) -> Value {
        kept.withLock { kept in
            if let value = kept { return value }
            let value = make()
            kept = value
            return value
        }
    }
}
