import Synchronization

/// A value that is computed at its first use and kept. Concurrent callers wait for it.
struct Once<Value: Sendable>: ~Copyable, Sendable {
    private let kept = Mutex<Value?>(nil)

    /// The value, if it was computed.
    var value: Value? { kept.withLock { $0 } }

    /// The value; `make` computes it at the first call.
    func callAsFunction(_ make: () -> Value) -> Value {
        kept.withLock { kept in
            if let value = kept { return value }
            let value = make()
            kept = value
            return value
        }
    }
}
