/// What a transaction has done: its result, and the signals to send once it is committed.
package struct Committed<Value: Sendable>: Sendable {
    /// What the caller is answered.
    package var value: Value
    /// What others are to be told.
    package var signals: Signals

    /// A result, and what others are to be told of it.
    package init(_ value: Value, signals: Signals = Signals()) {
        self.value = value
        self.signals = signals
    }
}
