public import KithModel

/// An item as it stands in a file: what a list keeps of it, before it has a list, a place and a history.
///
/// The limits of its fields are those of ``ListItem``. They are checked when
/// the draft is read from a file and again when it is added to a list.
public struct ItemDraft: Hashable, Sendable {
    /// 1 to 500 characters.
    public var title: String
    /// How many: 1 to 9,999.
    public var count: Int
    /// Whether it is done.
    public var isTicked: Bool
    /// The heading that it is shown under. At most 100 characters.
    public var category: String?
    /// At most 2,000 characters.
    public var comment: String?
    /// The offer of a catalogue that the item came from. At most 200 characters.
    public var offer: String?
    /// The identity that it is to have; nil for a new one. See ``Lists/add(_:to:)``. Files do not carry it.
    public var id: ItemID?

    /// A draft of these fields. Nothing is checked yet.
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
}
