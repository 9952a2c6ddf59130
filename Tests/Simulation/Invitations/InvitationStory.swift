import KithModel

/// What people have done with one invitation, as they know it themselves.
///
/// A call that was interrupted may have been carried out. It counts as tried, and not as done.
struct InvitationStory {
    /// The last thing that its inviter was told is done.
    enum Course { case ordered, revoked, removed }

    /// An answer of a recipient, by the record or by the link.
    struct Reply {
        enum Kind { case accept, acceptByLink, decline, removal }
        let kind: Kind
        let time: Timestamp
        /// Whether the device has confirmed it.
        let isDone: Bool
    }

    let inviter: AccountID
    let recipient: Identity
    let purpose: Invitation.Purpose
    /// The identities under which its inviter and its recipients have seen it.
    var ids: Set<InvitationID> = []
    /// Whether the inviter sends the message without the server.
    var isComposed = false
    /// The texts that the inviter has written.
    var texts: Set<Int> = [0]
    /// When the inviter has tried to have it sent.
    var orders: [Timestamp]
    /// The last thing that the inviter did with it; nil if nobody knows whether it was done.
    var course: Course?
    /// Whether the inviter has tried to revoke it.
    var isRevoked = false
    /// Whether the inviter has tried to remove it.
    var isRemoved = false
    /// The number of attempts of all messages when the server had revoked it for good; nil if it has not.
    var dead: Int?
    /// The answers of each account, oldest first.
    var replies: [AccountID: [Reply]] = [:]

    /// Whether another invitation has the same inviter, recipient and purpose.
    func isTwin(of other: Self) -> Bool {
        inviter == other.inviter && recipient == other.recipient && purpose == other.purpose
    }

    /// Whether an account has tried to accept it.
    func isAccepted(by account: AccountID) -> Bool {
        replies[account, default: []].contains { $0.kind == .accept || $0.kind == .acceptByLink }
    }

    /// Whether an account has tried to accept it by its link, which needs no proof of the email.
    func isOpened(by account: AccountID) -> Bool { replies[account, default: []].contains { $0.kind == .acceptByLink } }

    /// Whether somebody has tried to refuse it.
    var isRefused: Bool { replies.values.joined().contains { $0.kind == .decline || $0.kind == .removal } }

    /// Whether it could be sent again, or told to a recipient who has refused it at `time`.
    func isRenewed(after time: Timestamp, proofs: [Timestamp]) -> Bool {
        (orders + proofs).contains { $0 >= time + Limits.declined - .minutes(1) }
    }
}
