package import KithModel

/// The signals for others after a commit. The loss of a signal costs time, not data: the next round finds the changes.
package struct Signals: Hashable, Sendable {
    /// The feeds with new sequences. Their readers are notified over the live stream.
    package var moved: Set<FeedID> = []
    /// The lists whose public pages have changed, although the lists have not: by a gift, or because a link has ended.
    package var changedPages: Set<FeedID> = []
    /// The accounts whose presence is now visible to other people than before.
    package var circles: Set<AccountID> = []
    /// What devices have chosen whose live streams are perhaps at another node.
    package var choices: Set<PresenceChoice> = []
    /// What the commit has left for background jobs.
    package var topics: Set<Topic> = []
    /// The closed sessions. Their live streams end.
    package var closedSessions: Set<SessionID> = []
    /// The accounts whose list of sessions has changed. Their live streams report it.
    package var changedSessions: Set<AccountID> = []
    /// The accounts that have become identified, or anonymous again. Their devices learn the kind in a round.
    package var changedKinds: Set<AccountID> = []
    /// The deleted accounts. Their live streams end.
    package var closedAccounts: Set<AccountID> = []

    /// What a commit can leave for background jobs. The folder that stores it declares the topic, and `JobBells` says which
    /// jobs it wakes.
    package struct Topic: Hashable, Sendable {
        let name: String

        /// The topic with this name. No other topic has it.
        package init(_ name: String) { self.name = name }
    }

    package init(
        moved: Set<FeedID> = [], changedPages: Set<FeedID> = [], topics: Set<Topic> = [],
        closedSessions: Set<SessionID> = [], closedAccounts: Set<AccountID> = [],
        changedSessions: Set<AccountID> = [], changedKinds: Set<AccountID> = []
    ) {
        (self.moved, self.changedPages, self.topics) = (moved, changedPages, topics)
        (self.closedSessions, self.closedAccounts) = (closedSessions, closedAccounts)
        (self.changedSessions, self.changedKinds) = (changedSessions, changedKinds)
    }

    /// Adds other signals.
    package mutating func formUnion(_ other: Signals) {
        moved.formUnion(other.moved)
        changedPages.formUnion(other.changedPages)
        circles.formUnion(other.circles)
        choices.formUnion(other.choices)
        topics.formUnion(other.topics)
        closedSessions.formUnion(other.closedSessions)
        closedAccounts.formUnion(other.closedAccounts)
        changedSessions.formUnion(other.changedSessions)
        changedKinds.formUnion(other.changedKinds)
    }
}
