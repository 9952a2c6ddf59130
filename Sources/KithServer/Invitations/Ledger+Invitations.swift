import KithModel

/// The records of the two sides of an invitation.
extension Ledger {
    /// Whether an account may invite people to a list, as its owner.
    func mayInvite(_ account: AccountID, to list: ListID) -> Bool {
        guard let feed = self.feed(list.retyped()), feed.kind == .list, !feed.isClosed else { return false }
        return role(of: account, in: feed.id) == .owner
    }

    /// The name of the list of a purpose; nil if there is none.
    func listName(_ purpose: Invitation.Purpose) -> String? {
        purpose.list.flatMap { live(.list($0.retyped()))?.state.fields["name"]?.text }
    }

    /// The name that everyone may see of a person; nil if they show none.
    func name(of account: AccountID) -> String? {
        Profile(Profile.shown(live(.profile(of: account))?.state.fields ?? [:], toNetwork: false)).fullName
    }

    /// Writes into the inviter's record why an invitation has failed, unless it was accepted while the feed was waited for.
    mutating func fail(_ row: InvitationRow, _ failure: MessageFailure) {
        guard let sent = live(row.sent), sent.state.fields["state"]?.text != Invitation.State.accepted.rawValue else {
            return
        }
        set(
            [
                "state": .text(Invitation.State.failed.rawValue), "reason": .text(failure.reason.rawValue),
                "detail": .text(failure.detail),
            ], of: .invitations, at: row.sent)
    }

    /// The fields of the recipient's record of an invitation that waits for an answer.
    func received(_ invitation: Invitation, from inviter: AccountID, until expires: Timestamp) -> Fields {
        var fields: Fields = [
            "recipient": .text(invitation.recipient?.text), "text": .text(invitation.text),
            "inviter": .text(inviter.description), "peerName": .text(name(of: inviter)),
            "listName": .text(listName(invitation.purpose)), "notified": .integer(now.milliseconds),
            "expires": .integer(expires.milliseconds), "answer": .null, "state": .null, "reason": .null,
            "detail": .null,
        ]
        fields.merge(invitation.purpose.fields) { $1 }
        return fields
    }
}
