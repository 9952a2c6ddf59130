import KithModel

/// The limits of pairings.
package enum PairingLimits {
    /// How long a pairing can be used.
    package static let lifetime = Duration.seconds(10 * 60)
    /// Pairings that the sessions of one account make in a day (UTC). A session has one pairing at a time: a new one
    /// ends the earlier one.
    package static let aDay = 100
    /// How long a pairing is kept after it was made, so that the device that made it can ask for its state.
    static let kept = Duration.days(1)
}
