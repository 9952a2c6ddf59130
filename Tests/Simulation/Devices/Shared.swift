import Synchronization

/// A value that the closures of a device or server share with the world.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    var now: Value {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }

    /// Changes a part of the value in place.
    func update(_ change: (inout Value) -> Void) { value.withLock { change(&$0) } }
}
