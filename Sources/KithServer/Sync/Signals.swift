package import KithModel

/// Who is to be told of something after a commit. What is not told at once is found all the same, later.
package struct Signals: Hashable, Sendable {
    /// The feeds that have got new sequences: whoever reads them is told over the live stream.
    package var moved: Set<FeedID> = []
    /// The accounts that let others know of them, or do not, otherwise than before: who is online is looked at anew.
    package var circles: Set<AccountID> = []
    /// Whether a profile has changed: the background tells those who have it. See ``ProfileFanout``.
    package var hasNewProfiles = false

    package init() {}

    /// Takes in who else is to be told.
    mutating func formUnion(_ other: Signals) {
        moved.formUnion(other.moved)
        circles.formUnion(other.circles)
        hasNewProfiles = hasNewProfiles || other.hasNewProfiles
    }
}

extension Ledger {
    /// Who is to be told of the difference to what was read, once it is committed.
    var signals: Signals {
        let changes = changes
        var signals = Signals()
        signals.moved = moved
        for (place, old, new) in changes where PresenceRegister.Circle.differs(old, new, at: place) {
            signals.circles.insert(place.feed.retyped())
        }
        signals.hasNewProfiles = changes.contains { $0.place.record == Profile.id }
        return signals
    }
}
