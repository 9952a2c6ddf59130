/// The bells of the background jobs. They ring when a commit has left work, and at intervals.
struct JobBells: Sendable {
    let profiles = Bell()
    let closedLists = Bell()
    let invitations = Bell()
    let sharing = Bell()

    /// Rings the bells of the jobs for which a commit can have left work.
    func ring(_ topic: Signals.Topic) {
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
    func ringAll() {
        for bell in [profiles, closedLists, invitations, sharing] { bell.ring() }
    }
}
