import KithModel

/// Decides which acceptances of sent invitations are news on this device.
///
/// An acceptance is news if the device has seen the invitation without it, or receives the invitation after the first
/// round of the account was complete. Everything that the first round writes, and everything that is shown because
/// another account becomes the current one, is not news.
struct JoinRules {
    /// The invitations that are known as accepted.
    private var known: Set<InvitationID> = []
    /// The sent invitations that are known, and not accepted.
    private var waiting: Set<InvitationID> = []
    /// The account whose content was reported as complete.
    private var populated: ReplicaAccount.Mark?

    /// The invitations that a change reports as newly accepted, each once. `account` is the current account.
    mutating func joined(in change: Changed<Invitation>, of account: ReplicaAccount) -> [Invitation] {
        var joined: [Invitation] = []
        for one in change.added + change.modified where one.direction == .sent {
            guard one.status == .accepted else {
                waiting.insert(one.id)
                continue
            }
            let wasWaiting = waiting.remove(one.id) != nil
            guard known.insert(one.id).inserted, change.origin != .state else { continue }
            if wasWaiting || populated == account.mark { joined.append(one) }
        }
        for one in change.removed { waiting.remove(one.id) }
        if change.isPopulated && account.isPopulated { populated = account.mark }
        return joined
    }
}
