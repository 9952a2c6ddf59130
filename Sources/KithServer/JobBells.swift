/// The bells of the background jobs. They ring when a commit has left work, and at intervals.
struct JobBells: Sendable {
    let profiles = Bell()
    let closedLists = Bell()
    let invitations = Bell()
    let sharing = Bell()

    /// The bells of the jobs that a signal names.
    var ofSignals: [Signals.Job: @Sendable () -> Void] {
        [.profileFanout: profiles.ring, .closedLists: closedLists.ring]
    }

    /// Rings all bells.
    func ringAll() {
        profiles.ring()
        closedLists.ring()
        ringOthers()
    }

    /// Rings the bells of the jobs that no signal names.
    func ringOthers() {
        invitations.ring()
        sharing.ring()
    }
}
