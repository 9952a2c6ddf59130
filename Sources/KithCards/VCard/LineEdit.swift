/// The properties that an edit of a card removed and added. A change is both.
struct LineEdit {
    let removed: [WrittenLine]
    let added: [WrittenLine]

    init(from old: VCard, to new: VCard) {
        let (before, after) = (old.closed.mergedLines, new.closed.mergedLines)
        (removed, added) = (Self.lines(before, without: after), Self.lines(after, without: before))
    }

    /// The part of this edit that another edit has not already made.
    func without(_ other: LineEdit) -> LineEdit {
        LineEdit(
            removed: Self.lines(removed, without: other.removed), added: Self.lines(added, without: other.added))
    }

    private init(removed: [WrittenLine], added: [WrittenLine]) { (self.removed, self.added) = (removed, added) }

    /// The names of the properties in which this edit and another conflict, in order.
    ///
    /// `ofOneKind`: whether the lines of both cards can be compared and exchanged as written.
    func conflicts(with other: LineEdit, ofOneKind: Bool) -> [String] {
        let theirNames = other.parts { $0.name }
        let names = parts({ $0.name }).filter { name, mine in
            let theirs = theirNames[name] ?? Part()
            guard mine != theirs else { return false }
            if !ofOneKind { return true }
            if Self.single.contains(name) { return !theirs.isEmpty }
            // A conflict is two different changes of one line; two removals are none.
            return !Set(mine.removed).isDisjoint(with: theirs.removed)
                && !(mine.added.isEmpty && theirs.added.isEmpty)
        }
        let theirGroups = other.parts { $0.group }
        let groups = parts({ $0.group }).filter { group, mine in theirGroups[group].map { $0 != mine } ?? false }
        let inGroups = (removed + added).filter { $0.group.map { groups[$0] != nil } ?? false }.map(\.name)
        return Set(names.keys).union(inGroups).sorted()
    }

    /// The lines by their names or by their groups.
    private func parts(_ key: (WrittenLine) -> String?) -> [String: Part] {
        var parts: [String: Part] = [:]
        for line in removed { if let name = key(line) { parts[name, default: Part()].removed.append(line) } }
        for line in added { if let name = key(line) { parts[name, default: Part()].added.append(line) } }
        return parts
    }

    private static func lines(_ lines: [WrittenLine], without others: [WrittenLine]) -> [WrittenLine] {
        var counts = Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +)
        return lines.filter { line in
            guard let count = counts[line], count > 0 else { return true }
            counts[line] = count - 1
            return false
        }
    }

    /// A property that a card can have only once.
    private static let single: Set = [
        "ANNIVERSARY", "BDAY", "FN", "GENDER", "KIND", "N", "NICKNAME", "NOTE", "ORG", "TITLE", "UID", "VERSION",
    ]

    /// The lines of one name or one group.
    private struct Part: Equatable {
        var removed: [WrittenLine] = []
        var added: [WrittenLine] = []
        var isEmpty: Bool { removed.isEmpty && added.isEmpty }
    }
}

extension VCard {
    /// The written properties, except those that only record the writer and the time.
    fileprivate var mergedLines: [WrittenLine] {
        properties.filter { !["PRODID", "REV"].contains($0.name) }.map { WrittenLine($0) }
    }
}
