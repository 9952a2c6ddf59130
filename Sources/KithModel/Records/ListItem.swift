/// One entry of a list.
public struct ListItem: Hashable, Sendable, Identifiable {
    /// The item's identity.
    public let id: ItemID
    /// The list that the item is in.
    public let listID: ListID
    /// 1 to 500 characters.
    public var title: String
    /// How many: 1 to 9,999. Two people's additions add up.
    public var count: Int
    /// Whether the item is done.
    public var isTicked: Bool
    /// Where the item stands among its neighbours; ties go by id.
    public var position: IndexKey
    /// The heading that it is shown under. At most 100 characters.
    public var category: String?
    /// At most 2,000 characters.
    public var comment: String?
    /// The offer of a catalogue that the item came from. At most 200 characters.
    public var offer: String?
    /// Who made the item; nil until the server has seen it.
    public internal(set) var creator: AccountID?
    /// When it last changed, in the server's time once it has been sent.
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
    /// An item's fields, and who may write them.
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

    /// The fields of the item that the list's editors write.
    package var fields: Fields {
        [
            "title": .text(title), "count": .integer(Int64(count)), "ticked": .flag(isTicked),
            "position": .text(position.text), "category": category.map(FieldValue.text) ?? .null,
            "comment": comment.map(FieldValue.text) ?? .null, "offer": offer.map(FieldValue.text) ?? .null,
        ]
    }
}
