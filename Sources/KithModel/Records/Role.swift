/// A person's rights in a list. Each role includes the rights of the roles before it.
public enum Role: String, CaseIterable, Comparable, Sendable, Codable, ChoiceCodable {
    /// Reads the list.
    case viewer
    /// Also changes the list and its items.
    case editor
    /// Also invites and removes people, changes their roles, and removes the list. A list has exactly one owner.
    case owner

    /// Whether `left` has fewer rights than `right`.
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .editor: 1
        case .owner: 2
        }
    }
}

/// An account's rights to one record, which are compared with ``Field/Writer``.
package struct Rights: Hashable, Sendable {
    /// The account's role in the record's feed; nil if it has none.
    package let role: Role?
    /// Whether the record is about this account.
    package let isPerson: Bool

    /// Creates the rights of an account with this role; nil for no role.
    package init(role: Role?, isPerson: Bool = false) {
        self.role = role
        self.isPerson = isPerson
    }

    /// Whether these rights are sufficient for `writer`.
    package func include(_ writer: Field.Writer) -> Bool {
        guard let role else { return false }
        return switch writer {
        case .server: false
        case .owner: role == .owner
        case .editor: role >= .editor
        case .person: isPerson
        }
    }
}
