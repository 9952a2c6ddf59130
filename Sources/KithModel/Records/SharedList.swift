/// A list: its name and appearance. Its items are ``ListItem``s, its people ``Member``s.
///
/// The list's identity is also that of its feed.
public struct SharedList: Hashable, Sendable, Identifiable {
    /// Who can read a list. The server derives it from the list's members and links.
    public enum Access: String, Sendable, CaseIterable {
        /// Only the owner.
        case `private`
        /// The people in the list.
        case shared
        /// Anyone with the public link.
        case `public`
    }

    /// The list's identity, and that of its feed.
    public let id: ListID
    /// The name, 1 to 200 characters.
    public var name: String
    /// The kind of list in the app's vocabulary: `shopping`, `wish` … At most 40 characters. The server knows the kind
    /// ``wishKind``.
    public var kind: String
    /// The name of the list's theme in the app's vocabulary. At most 100 characters.
    public var theme: String?
    /// Who can read the list.
    public internal(set) var access: Access
    /// My role in the list.
    public internal(set) var role: Role
    /// The list's position among my lists. Each person has their own.
    public internal(set) var position: IndexKey?
    /// The time when the list or one of its items last changed, in the server's time once it has been sent.
    public internal(set) var modified: Timestamp

    package init(
        id: ListID, name: String, kind: String = SharedList.standardKind, theme: String? = nil,
        access: Access = .private,
        role: Role = .owner, position: IndexKey? = nil, modified: Timestamp
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.theme = theme
        self.access = access
        self.role = role
        self.position = position
        self.modified = modified
    }
}

extension SharedList {
    /// The kind of a list if the app names none: `shopping`.
    public static let standardKind = "shopping"

    /// The kind of a wish list. Somebody with a public link that can tick says there “I give this”, and nobody in the list
    /// sees it.
    public static let wishKind = "wish"

    /// Whether it is a wish list.
    public var isWishList: Bool { kind == Self.wishKind }
}

extension RecordCollection {
    /// The lists, without their items.
    public static let lists = RecordCollection(rawValue: "list")
}

extension SharedList {
    /// The fields of a list, and who may write them.
    package static let schema = Schema(
        .lists, in: .list, createsFeed: true, creator: .owner, remover: .owner,
        fields: [
            Field("name", .text(1...200), isRequired: true),
            Field("kind", .text(0...40), standard: .text(SharedList.standardKind)),
            Field("theme", .text(0...100)),
            Field("access", .choice(Access.allCases.map(\.rawValue)), writer: .server, standard: "private"),
        ])

    /// The fields that the list's editors write.
    package var fields: Fields {
        ["name": .text(name), "kind": .text(kind), "theme": .text(theme)]
    }
}

/// The identity of a list.
public typealias ListID = RecordID<SharedList>
