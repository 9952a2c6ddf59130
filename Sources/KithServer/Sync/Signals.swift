package import KithModel

/// The signals for others after a commit. The loss of a signal costs time, not data: the next round finds the changes.
package struct Signals: Hashable, Sendable {
    /// The feeds with new sequences. Their readers are notified over the live stream.
    package var moved: Set<FeedID> = []
    /// The accounts whose presence is now visible to other people than before.
    package var circles: Set<AccountID> = []
    /// Whether a profile has changed. ``ProfileFanout`` then updates the contacts in the background.
    package var hasNewProfiles = false
    /// Whether another background job has work.
    package var hasBackgroundWork = false
    /// The closed sessions. Their live streams end.
    package var closedSessions: Set<SessionID> = []
    /// The accounts whose list of sessions has changed. Their live streams report it.
    package var changedSessions: Set<AccountID> = []
    /// The accounts that have become identified, or anonymous again. Their devices learn the kind in a round.
    package var changedKinds: Set<AccountID> = []
    /// The deleted accounts. Their live streams end.
    package var closedAccounts: Set<AccountID> = []

    package init(
        moved: Set<FeedID> = [], hasNewProfiles: Bool = false, hasBackgroundWork: Bool = false,
        closedSessions: Set<SessionID> = [], closedAccounts: Set<AccountID> = [],
        changedSessions: Set<AccountID> = [], changedKinds: Set<AccountID> = []
    ) {
        (self.moved, self.hasNewProfiles) = (moved, hasNewProfiles)
        self.hasBackgroundWork = hasBackgroundWork
        (self.closedSessions, self.closedAccounts) = (closedSessions, closedAccounts)
        (self.changedSessions, self.changedKinds) = (changedSessions, changedKinds)
    }

    /// Adds other signals.
    package mutating func formUnion(_ other: Signals) {
        moved.formUnion(other.moved)
        circles.formUnion(other.circles)
        hasNewProfiles = hasNewProfiles || other.hasNewProfiles
        hasBackgroundWork = hasBackgroundWork || other.hasBackgroundWork
        closedSessions.formUnion(other.closedSessions)
        closedAccounts.formUnion(other.closedAccounts)
        changedSessions.formUnion(other.changedSessions)
        changedKinds.formUnion(other.changedKinds)
    }
}

extension Ledger {
    /// The signals of the changes, to send once they are committed.
    var signals: Signals {
        var signals = Signals(moved: moved)
        for one in differences { collections[one.new.collection]?.addSignals(of: one, to: &signals) }
        return signals
    }
}
