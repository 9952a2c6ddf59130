import Synchronization

/// A value that is worked out when somebody first asks for it, and kept. Who asks meanwhile waits for it.
struct Once<Value: Sendable>: ~Copyable, Sendable {
    private let kept = Mutex<Value?>(nil)

    /// The value, if it was worked out.
    var value: Value? { kept.withLock { $0 } }

    /// The value; `make` works it out if nobody has.
    func callAsFunction(_ make: () -> Value) -> Value {
        kept.withLock { kept in
            if let value = kept { return value }
            let value = make()
            kept = value
            return value
        }
    }
}
