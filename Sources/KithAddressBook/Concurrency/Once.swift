import Synchronization

/// A value that is computed at its first use and kept. Concurrent callers wait until it is computed.
struct Once<Value: Sendable>: ~Copyable, Sendable {
    private let kept = Mutex<Value?>(nil)
    private let isComputed = Atomic(false)

    /// The value if it has been computed, else nil. Does not wait while it is being computed.
    var value: Value? { isComputed.load(ordering: .acquiring) ? kept.withLock { $0 } : nil }

    /// The value. The first call computes it with `make`.
    func callAsFunction(_ make: () -> Value) -> Value {
        let value = kept.withLock { kept in
            if let value = kept { return value }
            let value = make()
            kept = value
            return value
        }
        isComputed.store(true, ordering: .releasing)
        return value
    }
}
