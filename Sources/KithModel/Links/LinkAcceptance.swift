/// The result of accepting an invitation: `POST /v1/links/{token}/accept`.
package struct LinkAcceptance: Hashable, Sendable, Codable {
    /// The list that the account is now in.
    package var list: ListID
    /// The role that the account now has. It is never lower than before.
    package var role: Role

    /// Creates an acceptance with these properties.
    package init(list: ListID, role: Role) {
        self.list = list
        self.role = role
    }
}
