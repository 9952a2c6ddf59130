public import KithModel

/// An item of a file: the fields that a list stores, without a list, a position and a history.
///
/// The limits of its fields are those of `ListItem`. They are checked when the draft is read from a file, and again
/// when it is added to a list.
public struct ItemDraft: Hashable, Sendable {
    /// The title, 1 to 500 characters.
    public var title: String
    /// The count, 1 to 9,999.
    public var count: Int
    /// Whether it is done.
    public var isTicked: Bool
    /// The heading under which the item is shown. At most 100 characters.
    public var category: String?
    /// The comment, at most 2,000 characters.
    public var comment: String?
    /// The catalogue offer that the item was created from. At most 200 characters.
    public var offer: String?
    /// The identity of the new item; nil for a generated one. See ``Lists/add(_:to:)``. Files do not contain it.
    public var id: ItemID?

    /// Creates a draft with these fields. Nothing is checked yet.
    public init(
        title: String, count: Int = 1, isTicked: Bool = false, category: String? = nil, comment: String? = nil,
        offer: String? = nil, id: ItemID? = nil
    ) {
        self.title = title
        self.count = count
        self.isTicked = isTicked
        self.category = category
        self.comment = comment
        self.offer = offer
        self.id = id
    }

    /// The draft of an item, without its identity.
    package init(_ item: ListItem) {
        self.init(
            title: item.title, count: item.count, isTicked: item.isTicked, category: item.category,
            comment: item.comment, offer: item.offer)
    }
}
