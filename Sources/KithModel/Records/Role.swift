/// What someone may do in a list. Later roles include earlier ones.
public enum Role: String, CaseIterable, Comparable, Sendable, Codable, ChoiceCodable {
    /// Reads.
    case viewer
    /// Also changes the list and its items.
    case editor
    /// Also invites, removes and appoints people, and removes the list. A list has exactly one owner.
    case owner

    /// Whether `left` may do less than `right`.
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .editor: 1
        case .owner: 2
        }
    }
}

/// What an account may do to one record: what ``Field/Writer`` is checked against.
package struct Rights: Hashable, Sendable {
    /// The account's role in the record's feed; nil if it has none.
    package let role: Role?
    /// Whether the record is about this account.
    package let isPerson: Bool

    /// The rights of an account with this role, nil for none.
    package init(role: Role?, isPerson: Bool = false) {
        self.role = role
        self.isPerson = isPerson
    }

    /// Whether these rights include what is kept for `writer`.
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
