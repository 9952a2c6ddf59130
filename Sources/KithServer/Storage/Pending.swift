/// A value that a transaction was asked for. The answer is waited for when the value is read.
///
/// A transaction runs its statements in their order, so the value is that of the moment when it was asked for. Whoever
/// asks for several values before reading the first saves time where each answer travels.
public struct Pending<Value> {
    private let read: () throws -> Value

    /// A value that `read` waits for.
    public init(_ read: @escaping () throws -> Value) {
        self.read = read
    }

    /// Waits for the value.
    ///
    /// - Throws: What ``Transaction/query(_:_:)`` throws. So does reading any other value of the transaction then.
    public func value() throws -> Value { try read() }

    /// The value that `transform` makes of this one, when it is read.
    public func map<Other>(_ transform: @escaping (Value) throws -> Other) -> Pending<Other> {
        Pending<Other> { try transform(read()) }
    }
}
