package import KithModel

/// What others are told after a commit. A signal that is lost costs time, not data: the next round finds what has changed.
package struct Signals: Hashable, Sendable {
    /// The feeds that have new sequences: their readers are told over the live stream.
    package var moved: Set<FeedID> = []
    /// The accounts that show their presence to other people than before.
    package var circles: Set<AccountID> = []
    /// Whether a profile has changed: the background tells those who have it. See ``ProfileFanout``.
    package var hasNewProfiles = false
    /// The tokens of the sessions that are closed: their live streams end.
    package var closedSessions: Set<String> = []
    /// The accounts that are deleted: their live streams end.
    package var closedAccounts: Set<AccountID> = []

    package init() {}

    /// The news that these feeds have moved.
    package init(moved: Set<FeedID>) { self.moved = moved }

    /// Adds what else is to be told.
    package mutating func formUnion(_ other: Signals) {
        moved.formUnion(other.moved)
        circles.formUnion(other.circles)
        hasNewProfiles = hasNewProfiles || other.hasNewProfiles
        closedSessions.formUnion(other.closedSessions)
        closedAccounts.formUnion(other.closedAccounts)
    }
}

extension Ledger {
    /// What is told of the difference to what was read, once it is committed.
    var signals: Signals {
        var signals = Signals(moved: moved)
        for one in differences { Collections[one.new.collection]?.addSignals(of: one, to: &signals) }
        return signals
    }
}
