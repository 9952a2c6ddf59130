/// The pointer in my own feed to a list that I am in.
///
/// Its identity is the list's. Removing it means leaving the list.
public struct Membership: Hashable, Sendable, Identifiable {
    /// The list that it points to.
    public let id: ListID
    /// My role in the list.
    public let role: Role
    /// My own place for the list among my lists.
    public let position: IndexKey?

    package init(id: ListID, role: Role, position: IndexKey?) {
        self.id = id
        self.role = role
        self.position = position
    }
}

extension RecordCollection {
    /// The lists that an account is in.
    public static let memberships = RecordCollection(rawValue: "membership")
}

extension Membership {
    /// A membership's fields, and who may write them.
    public static let schema = Schema(
        .memberships, in: .account, creator: .server, remover: .owner,
        fields: [
            Field("role", .choice(Role.allCases.map(\.rawValue)), writer: .server, isRequired: true),
            Field("position", .indexKey, writer: .owner),
        ])
}
