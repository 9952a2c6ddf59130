import Foundation
public import KithModel

/// Items of a list that look the same to people, such as an item that two devices added at the same time.
public struct Duplicate: Sendable, Hashable {
    /// The item that stays: the oldest.
    public let kept: ListItem
    /// The items that are merged into it.
    public let others: [ListItem]

    /// The count after merging.
    public var count: Int { min(others.reduce(kept.count) { $0 + $1.count }, Int(Limits.count.upperBound)) }

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

    /// Merges several items into one: the counts add up, the others are removed.
    ///
    /// - Returns: The item that stays.
    @discardableResult
    public func merge(_ duplicate: Duplicate) throws -> ListItem {
        let others = try duplicate.others.compactMap { try item($0.id, in: $0.listID) }
        let more = others.reduce(0) { $0 + $1.count }
        guard let kept = try item(duplicate.kept.id, in: duplicate.kept.listID) else {
            throw KithError.missing(.item(duplicate.kept.id, in: duplicate.kept.listID))
        }
        let amount = min(more, Int(Limits.count.upperBound) - kept.count)
        if amount > 0 { try increase(kept.id, in: kept.listID, by: amount) }
        let comments = ([kept] + others).compactMap(\.comment)
        if kept.comment == nil, let comment = comments.first {
            try set(.item(kept.id, in: kept.listID), ["comment": .text(comment)])
        }
        // These removals cannot be undone: the counts are now part of the remaining item.
        for other in others { try delete(.item(other.id, in: other.listID)) }
        return try item(kept.id, in: kept.listID) ?? kept
    }
}
