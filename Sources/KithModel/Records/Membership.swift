extension RecordCollection {
    /// The lists that an account is in.
    public static let memberships = RecordCollection(rawValue: "membership")
}

/// A reference in my own feed to a list that I am in.
///
/// Its identity is the list's. Removing it means leaving the list. Its fields are the ``SharedList/role`` and
/// ``SharedList/position`` of that list.
package enum Membership {
    /// The fields of a membership, and who may write them.
    package static let schema = Schema(
        .memberships, in: .account, creator: .server, remover: .owner,
        fields: [
            Field("role", .choice(Role.allCases.map(\.rawValue)), writer: .server, isRequired: true),
            Field("position", .indexKey, writer: .owner),
        ])
}
