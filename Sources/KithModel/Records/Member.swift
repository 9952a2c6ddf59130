/// Someone who is in a list. Lives in the list's feed; everyone in the list sees it.
///
/// Its identity is the account's. The server writes it when a list is made or
/// joined; the owner changes its role (making someone owner hands the list
/// over) and removes it; the person gives it a name.
public struct Member: Hashable, Sendable, Identifiable {
    /// The person's account.
    public let id: AccountID
    /// The list that the person is in.
    public let listID: ListID
    /// What the person may do in the list.
    public let role: Role
    /// The name that the person goes by in this list. At most 100 characters.
    public let name: String?
    /// When this last changed, in the server's time once it has been sent.
    public let modified: Timestamp

    package init(id: AccountID, listID: ListID, role: Role, name: String?, modified: Timestamp) {
        self.id = id
        self.listID = listID
        self.role = role
        self.name = name
        self.modified = modified
    }
}

extension RecordCollection {
    /// The people in lists.
    public static let members = RecordCollection(rawValue: "member")
}

extension Member {
    /// A member's fields, and who may write them.
    package static let schema = Schema(
        .members, in: .list, creator: .server, remover: .owner,
        fields: [
            Field("role", .choice(Role.allCases.map(\.rawValue)), writer: .owner, isRequired: true),
            Field("name", .text(0...100), writer: .person),
        ])
}
