package import KithModel

/// The result of a round.
package struct Synced: Hashable, Sendable {
    /// The answer to the device.
    package var answer: SyncAnswer
    /// The bytes of the fields of the answer's records.
    package var bytes = 0
    /// The signals of the round's mutations.
    package var signals: Signals
    /// Whether the answer is so large that encoding it must wait in the queue of large requests.
    package var isLarge = false
}
