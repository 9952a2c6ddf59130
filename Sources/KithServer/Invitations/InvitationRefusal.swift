import KithModel

/// Why an account cannot accept an invitation.
enum InvitationRefusal: Error {
    /// The account has sent it.
    case yours
    /// Somebody else has accepted it, the inviter has revoked it, or the inviter's account was deleted.
    case used
    case expired
    /// The account has blocked the inviter.
    case blocked
    /// The list, or one of the two networks, has no room.
    case full
    /// The list was deleted, or the inviter does not own it.
    case noList
    /// The list's owner has removed the account.
    case removed
    /// The account was deleted.
    case closed

    /// The reason in the record of the account.
    var reason: MessageFailure.Reason {
        switch self {
        case .yours: .yourself
        case .full: .full
        case .noList, .removed: .noList
        case .blocked: .blocked
        case .used, .expired, .closed: .linkExpired
        }
    }

    /// The error for somebody with the link.
    var error: ServerError {
        switch self {
        case .yours:
            ServerError(.conflict, "The invitation is your own. Send the link to the person you invite.")
        case .used:
            ServerError(.linkExpired, "The invitation was accepted or revoked. Ask for a new one.")
        case .expired: ServerError(.linkExpired, "The invitation has expired. Ask for a new one.")
        case .blocked: ServerError(.forbidden, "You have blocked the person who invites you. Unblock them first.")
        case .full:
            ServerError(
                .tooMany, "The list, or the network of one of you, has reached its limit. Remove something first.")
        case .noList:
            ServerError(
                .linkExpired, "The list was deleted, or has another owner now. Ask the owner for an invitation.")
        case .removed: .removedFromList
        case .closed: .accountClosed
        }
    }
}
