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
