import KithModel

/// Merges several items into one, as ``Changes/merge(_:)`` describes.
struct DuplicateMerge {
    let changes: Changes

    /// - Returns: The item that stays.
    func merge(_ duplicate: Duplicate) throws -> ListItem {
        guard let kept = try changes.item(duplicate.kept.id, in: duplicate.kept.listID) else {
            throw KithError.missing(.item(duplicate.kept.id, in: duplicate.kept.listID))
        }
        var merged = MergedItem(kept)
        // A group has room for two edits of each item, and for two of the one that stays.
        let present = try duplicate.others.compactMap { try changes.item($0.id, in: $0.listID) }
        let others = present.prefix(Limits.group / 2 - 1).filter { merged.add($0) }
        if merged.count > kept.count { try changes.increase(kept.id, in: kept.listID, by: merged.count - kept.count) }
        let fields = merged.fields(differingFrom: kept)
        if !fields.isEmpty { try changes.set(.item(kept.id, in: kept.listID), fields) }
        // These removals cannot be undone: the counts are now part of the remaining item.
        for other in others {
            try requireState(of: other)
            try changes.delete(.item(other.id, in: other.listID))
        }
        return try changes.item(kept.id, in: kept.listID) ?? kept
    }

    /// Adds 0 to the count of an item that the server may have, and states the count. If the item is gone, or if another device
    /// has changed it, the server refuses this edit and its group. The removal alone would be superseded, or would take the
    /// other device's edit along.
    ///
    /// A server of an older version only checks that the item is there. It writes the count, and then removes the item.
    private func requireState(of item: ListItem) throws {
        let key = RecordKey.item(item.id, in: item.listID)
        let isConfirmed = try changes.transaction.record(key).map { $0.sequence > 0 } ?? false
        let isInFlight = try changes.transaction.outbox.unsent(of: key).contains { $0.number != nil }
        guard isConfirmed || isInFlight else { return }
        try changes.edit(key, .edit(set: ["count": .integer(Int64(item.count))], add: ["count": 0]))
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
