import Foundation
public import KithModel

/// Items of a list that look the same to people, such as an item that two devices added at the same time.
public struct Duplicate: Sendable, Hashable {
    /// The item that stays: the oldest.
    public let kept: ListItem
    /// The items that can be merged into it.
    public let others: [ListItem]

    /// The count of all of them together. If it is above 9,999, some of them stay as they are.
    public var count: Int { others.reduce(kept.count) { $0 + $1.count } }

    /// The duplicates among `items`: the same title (ignoring case, Unicode form and spaces), the same offer and the
    /// same tick.
    static func find(in items: [ListItem]) -> [Duplicate] {
        struct Likeness: Hashable {
            let title: String
            let offer: String?
            let isTicked: Bool
        }
        let alike = Dictionary(grouping: items) { item in
            let words = item.title.precomposedStringWithCompatibilityMapping.lowercased()
                .split(whereSeparator: \.isWhitespace)
            return Likeness(title: words.joined(separator: " "), offer: item.offer, isTicked: item.isTicked)
        }
        return alike.values.compactMap { items in
            let sorted = items.sorted { $0.id < $1.id }
            guard let kept = sorted.first, sorted.count > 1 else { return nil }
            return Duplicate(kept: kept, others: Array(sorted.dropFirst()))
        }.sorted {
            $0.kept.position == $1.kept.position ? $0.kept.id < $1.kept.id : $0.kept.position < $1.kept.position
        }
    }
}

extension Changes {
    /// Finds items that look the same. Nothing is merged until you call ``merge(_:)``.
    public func duplicates(in list: ListID) throws -> [Duplicate] {
        Duplicate.find(in: try items(in: list))
    }

    /// Merges several items into one: the counts add up, each comment becomes a line of the comment, and the others are
    /// removed. A category is taken from the others if the item has none.
    ///
    /// An item whose count or comment no longer fits stays as it is. At most 249 items are merged into one at once.
    ///
    /// If another device has merged, changed or removed one of the other items meanwhile, the server refuses the merge as a
    /// whole, because a count would count twice, or the change would be lost. Each edit of the merge becomes a rejection, and
    /// that of the item has the code `deleted` or `changed`.
    ///
    /// - Returns: The item that stays.
    @discardableResult
    public func merge(_ duplicate: Duplicate) throws -> ListItem {
        try DuplicateMerge(changes: self).merge(duplicate)
    }
}
