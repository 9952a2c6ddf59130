import KithModel

/// The items that the story changes. They are spread over the list, so that the story works with any list.
struct Cast: Sendable {
    /// The minimum number of usable items for the story.
    static let needed = 7

    /// Whether the story can use an item: it can be ticked, and its title can become longer.
    static func isUsable(isTicked: Bool, title: String) -> Bool { !isTicked && title.unicodeScalars.count <= 400 }

    let ticked, renamed, counted, titled, removed, firstOfPhone, firstOfTablet: ListItem

    init(_ items: [ListItem]) {
        let usable = items.filter { Self.isUsable(isTicked: $0.isTicked, title: $0.title) }
        let spread = (0..<Self.needed).map { usable[$0 * usable.count / Self.needed] }
        (ticked, renamed, counted, titled) = (spread[0], spread[1], spread[2], spread[3])
        (removed, firstOfPhone, firstOfTablet) = (spread[4], spread[5], spread[6])
    }
}
