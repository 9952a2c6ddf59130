/// A person in a list. The record is in the list's feed; everyone in the list sees it.
///
/// Its identity is the account's. The server creates it when a list is created or joined, and keeps the profile's name
/// in it up to date. The owner changes its role (giving the role `owner` hands the list over) and removes it. The
/// person sets the name.
public struct Member: Hashable, Sendable, Identifiable {
    /// The person's account.
    public let id: AccountID
    /// The list that the person is in.
    public let listID: ListID
    /// The person's role in the list.
    public let role: Role
    /// The name that the person chose for this list. At most 100 characters.
    public let name: String?
    /// The name in the person's profile, if everyone may see it. The server keeps it up to date.
    public let profileName: String?
    /// The time of the last change, in the server's time once it has been sent.
    public let modified: Timestamp

    /// The person's name in this list: the name chosen for it or, without one, the name in the profile.
    public var calledName: String? { name ?? profileName }

    package init(
        id: AccountID, listID: ListID, role: Role, name: String?, profileName: String? = nil, modified: Timestamp
    ) {
        self.id = id
        self.listID = listID
        self.role = role
        self.name = name
        self.profileName = profileName
        self.modified = modified
    }
}

extension RecordCollection {
    /// The people in lists.
    public static let members = RecordCollection(rawValue: "member")
}

extension Member {
    /// The fields of a member, and who may write them.
    package static let schema = Schema(
        .members, in: .list, creator: .server, remover: .owner,
        fields: [
            Field("role", .choice(Role.allCases.map(\.rawValue)), writer: .owner, isRequired: true),
            Field("name", .text(0...100), writer: .person),
            Field("profileName", .text(0...201), writer: .server),
        ])
}

extension Member {
    /// The reason why a person with this role cannot lose the role or leave the list; nil if they can. A list always
    /// has an owner.
    package static func fault(ofEnding role: Role?) -> BrokenRule? {
        guard role == .owner else { return nil }
        return BrokenRule(.ownerStays, "The owner cannot leave: hand the list over or remove it first.")
    }
}
