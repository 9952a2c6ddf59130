/// The result of a transaction, and the signals to send once it is committed.
package struct Committed<Value: Sendable>: Sendable {
    /// The result for the caller.
    package var value: Value
    /// The signals to send.
    package var signals: Signals

    /// A result, and the signals to send.
    package init(_ value: Value, signals: Signals = Signals()) {
        self.value = value
        self.signals = signals
    }
}
