/// What becomes of the rows that name an account when it is deleted: each table that has such rows is in one of these lists.
///
/// Tests compare them with the tables of the database, so that none is forgotten, and with what happens to a row of each.
package enum DeletedAccountTables {
    /// The rows are deleted in the transaction that deletes the account.
    package static let deleted = [
        "directory", "share", "claim", "sharing_work", "sign_up", "usage", "work_turn", "picture", "recovery",
        "pairing", "passkey", "ceremony", "issuer_identity", "removed",
    ]

    /// The same transaction deletes some of the rows, or what is personal in them, in the way of their own type.
    package static let changed = [
        "hidden", "identity", "evaluation",  // IdentityRegister
        "message",  // MessageQueue: the limits of recipients stay
        "code",  // CodeRow: the counts of checks stay
        "session",  // SessionTable: the hashes of the tokens stay, so that devices learn of the deletion
        "share_code",  // ShareCodeRow: the codes stay, so that nobody else gets them
    ]

    /// What the transaction begins, and others end.
    package static let endedLater = [
        "reach", "access", "taken", "device", "lost_access", "storage",  // ProfileFanout: its lists, then its own feed
        "invitation", "invitation_link",  // InvitationWork; the row of an inviter keeps who has accepted
        "presence",  // the node at which a live stream of the account ends
    ]

    /// The rows stay, so that nobody resets the limits of referrals by deleting accounts.
    package static let kept = ["attribution", "referral", "referred", "reward"]
}
