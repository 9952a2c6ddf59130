import Synchronization

/// A value that a device's or server's closures share with the world.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    var now: Value {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
