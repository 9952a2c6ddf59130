import Synchronization

/// Values that were made before, by what they depend on, so that each is made once.
final class Memo<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let most: Int
    private let known = Mutex<[Key: Value]>([:])

    /// An empty memo.
    ///
    /// - Parameter most: The maximum number of values. Beyond it, all are made again.
    init(most: Int) { self.most = most }

    /// The value of a key. The first time, it is made; two that ask at the same time may both make it.
    func value(for key: Key, _ make: () throws -> Value) rethrows -> Value {
        if let value = known.withLock({ $0[key] }) { return value }
        let value = try make()
        known.withLock { known in
            if known.count >= most { known.removeAll() }
            known[key] = value
        }
        return value
    }
}
