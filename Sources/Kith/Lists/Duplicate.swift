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

/// What one item becomes when others are merged into it.
private struct MergedItem {
    private(set) var count: Int
    private var comment: MergedComment
    private var category: String?

    init(_ item: ListItem) { (count, comment, category) = (item.count, MergedComment(item.comment), item.category) }

    /// Adds an item. Returns false if its count or its comment does not fit.
    mutating func add(_ other: ListItem) -> Bool {
        guard count + other.count <= Limits.count.upperBound, comment.add(other.comment) else { return false }
        count += other.count
        category = category ?? other.category
        return true
    }

    /// The fields, apart from the count, that differ from those of the item that stays.
    func fields(differingFrom kept: ListItem) -> Fields {
        var fields: Fields = [:]
        if comment.text != kept.comment { fields["comment"] = .text(comment.text) }
        if category != kept.category { fields["category"] = .text(category) }
        return fields
    }
}

/// The comments of several items, as the lines of one.
private struct MergedComment {
    private var lines: [Substring]

    init(_ comment: String?) { lines = comment.map { Self.lines(of: $0) } ?? [] }

    var text: String? { lines.isEmpty ? nil : lines.joined(separator: "\n") }

    /// Adds a comment, unless it is there already. Returns false if it does not fit.
    mutating func add(_ comment: String?) -> Bool {
        guard let comment else { return true }
        var longer = self
        longer.lines += Self.lines(of: comment).filter { !lines.contains($0) }
        guard ListItem.schema["comment"]?.fault(in: .text(longer.text)) == nil else { return false }
        self = longer
        return true
    }

    private static func lines(of comment: String) -> [Substring] {
        comment.split(separator: "\n", omittingEmptySubsequences: false)
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
    /// An item whose count or comment no longer fits stays as it is.
    ///
    /// - Returns: The item that stays.
    @discardableResult
    public func merge(_ duplicate: Duplicate) throws -> ListItem {
        guard let kept = try item(duplicate.kept.id, in: duplicate.kept.listID) else {
            throw KithError.missing(.item(duplicate.kept.id, in: duplicate.kept.listID))
        }
        var merged = MergedItem(kept)
        let others = try duplicate.others.compactMap { try item($0.id, in: $0.listID) }.filter { merged.add($0) }
        if merged.count > kept.count { try increase(kept.id, in: kept.listID, by: merged.count - kept.count) }
        let fields = merged.fields(differingFrom: kept)
        if !fields.isEmpty { try set(.item(kept.id, in: kept.listID), fields) }
        // These removals cannot be undone: the counts are now part of the remaining item.
        for other in others { try delete(.item(other.id, in: other.listID)) }
        return try item(kept.id, in: kept.listID) ?? kept
    }
}
