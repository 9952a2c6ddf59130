import KithModel

/// The items that something happens to, spread over the list so that any list will do.
struct Cast: Sendable {
    /// The fewest usable items that the story can be told with.
    static let needed = 24

    /// Whether something can happen to an item: it can be ticked, and its title grow.
    static func isUsable(isTicked: Bool, title: String) -> Bool {
        !isTicked && title.unicodeScalars.count <= 400
    }

    /// Ticked by the phone while the tablet looks on.
    let seenTicked: ListItem
    /// Counted up by the tablet while the phone looks on.
    let seenCounted: ListItem
    /// Renamed on the phone, ticked on the tablet.
    let renamedAndTicked: ListItem
    /// Counted up on both.
    let countedTwice: ListItem
    /// Given a title on both.
    let titledTwice: ListItem
    /// Put first by the phone.
    let firstOfPhone: ListItem
    /// Put first by the tablet.
    let firstOfTablet: ListItem
    /// Put last by the tablet.
    let lastOfTablet: ListItem
    /// Removed on the phone, given a comment on the tablet.
    let removedAndEdited: ListItem
    /// Removed on both.
    let removedTwice: ListItem
    /// Ticked by the phone in one write.
    let together: [ListItem]

    init(_ all: [ListItem]) {
        let items = all.filter { Self.isUsable(isTicked: $0.isTicked, title: $0.title) }
        let spread = (0..<20).map { items[$0 * items.count / 20 + 1] }
        seenTicked = spread[0]
        seenCounted = spread[1]
        renamedAndTicked = spread[2]
        countedTwice = spread[3]
        titledTwice = spread[4]
        firstOfPhone = spread[5]
        firstOfTablet = spread[6]
        lastOfTablet = spread[7]
        removedAndEdited = spread[8]
        removedTwice = spread[9]
        together = Array(spread[10...].prefix(10))
    }
}
