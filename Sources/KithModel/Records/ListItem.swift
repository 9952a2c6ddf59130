/// One entry of a list.
public struct ListItem: Hashable, Sendable, Identifiable {
    /// The item's identity.
    public let id: ItemID
    /// The list that the item is in.
    public let listID: ListID
    /// The title, 1 to 500 characters.
    public var title: String
    /// The count, 1 to 9,999. Additions by several people are summed.
    public var count: Int
    /// Whether the item is done.
    public var isTicked: Bool
    /// The item's position in its list. Items with equal positions are ordered by id.
    public var position: IndexKey
    /// The heading under which the item is shown. At most 100 characters.
    public var category: String?
    /// The comment, at most 2,000 characters.
    public var comment: String?
    /// The catalogue offer that the item was created from. At most 200 characters.
    public var offer: String?
    /// The account that created the item; nil until the server has received it.
    public internal(set) var creator: AccountID?
    /// The time of the item's last change, in the server's time once it has been sent.
    public internal(set) var modified: Timestamp

    package init(
        id: ItemID, listID: ListID, title: String, count: Int = 1, isTicked: Bool = false, position: IndexKey,
        category: String? = nil, comment: String? = nil, offer: String? = nil, creator: AccountID? = nil,
        modified: Timestamp
    ) {
        self.id = id
        self.listID = listID
        self.title = title
        self.count = count
        self.isTicked = isTicked
        self.position = position
        self.category = category
        self.comment = comment
        self.offer = offer
        self.creator = creator
        self.modified = modified
    }
}

extension RecordCollection {
    /// The items of lists.
    public static let items = RecordCollection(rawValue: "item")
}

extension ListItem {
    /// The fields of an item, and who may write them.
    package static let schema = Schema(
        .items, in: .list, creator: .editor, remover: .editor,
        fields: [
            Field("title", .text(1...500), isRequired: true),
            Field("count", .sum(Limits.count), standard: 1),
            Field("ticked", .flag, standard: false),
            Field("position", .indexKey, isRequired: true),
            Field("category", .text(0...100)),
            Field("comment", .text(0...2_000)),
            Field("offer", .text(0...200)),
            Field("creator", .identifier, writer: .server),
        ])

    /// The fields that the list's editors write.
    package var fields: Fields {
        [
            "title": .text(title), "count": .integer(Int64(count)), "ticked": .flag(isTicked),
            "position": .text(position.text), "category": .text(category), "comment": .text(comment),
            "offer": .text(offer),
        ]
    }
}

/// The identity of an item.
public typealias ItemID = RecordID<ListItem>
