/// The result of accepting an invitation by its link: `POST /v1/invitations/{token}/accept`.
package struct InvitationAcceptance: Hashable, Sendable, Codable {
    /// The account that has sent the invitation.
    package var inviter: AccountID
    /// The list that the account has joined; nil if the invitation was not to a list.
    package var list: ListID?
    /// The role that the account has in the list. It is never lower than before.
    package var role: Role?

    /// Creates an acceptance with these properties.
    package init(inviter: AccountID, list: ListID? = nil, role: Role? = nil) {
        (self.inviter, self.list, self.role) = (inviter, list, role)
    }
}
