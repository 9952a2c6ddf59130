/// The bells of the background jobs. They ring when a commit has left work, and at intervals.
package struct JobBells: Sendable {
    package let profiles = Bell()
    package let closedLists = Bell()
    package let invitations = Bell()
    package let sharing = Bell()

    package init() {}

    /// Rings the bells of the jobs for which a commit can have left work.
    package func ring(_ topic: Signals.Topic) {
        switch topic {
        case .profiles: profiles.ring()
        case .closedLists: closedLists.ring()
        case .invitations, .connections: invitations.ring()
        case .sharing: sharing.ring()
        case .identities, .unnamed:
            invitations.ring()
            sharing.ring()
        default: break  // It is that of a newer node.
        }
    }

    /// Rings all bells.
    package func ringAll() {
        for bell in [profiles, closedLists, invitations, sharing] { bell.ring() }
    }
}
