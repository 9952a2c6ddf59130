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
        let names = Set((removed + added).map(\.name)).filter { name in
            let (mine, theirs) = (named(name), other.named(name))
            guard mine != theirs else { return false }
            if !ofOneKind { return true }
            if Self.single.contains(name) { return !theirs.isEmpty }
            // A conflict is two different changes of one line; two removals are none.
            let common = mine.removed.filter(theirs.removed.contains)
            return !common.isEmpty && !(mine.added.isEmpty && theirs.added.isEmpty)
        }
        let groups = Set((removed + added).compactMap(\.group)).filter { group in
            let (mine, theirs) = (grouped(group), other.grouped(group))
            return !theirs.isEmpty && mine != theirs
        }
        let inGroups = (removed + added).filter { $0.group.map(groups.contains) ?? false }.map(\.name)
        return names.union(inGroups).sorted()
    }

    private func named(_ name: String) -> Part {
        Part(removed: removed.filter { $0.name == name }, added: added.filter { $0.name == name })
    }

    private func grouped(_ group: String) -> Part {
        Part(removed: removed.filter { $0.group == group }, added: added.filter { $0.group == group })
    }

    private static func lines(_ lines: [WrittenLine], without others: [WrittenLine]) -> [WrittenLine] {
        var others = others
        return lines.filter { line in
            guard let index = others.firstIndex(of: line) else { return true }
            others.remove(at: index)
            return false
        }
    }

    /// A property that a card can have only once.
    private static let single: Set = [
        "ANNIVERSARY", "BDAY", "FN", "GENDER", "KIND", "N", "NICKNAME", "NOTE", "ORG", "TITLE", "UID", "VERSION",
    ]

    /// The lines of one name or one group.
    private struct Part: Equatable {
        let removed: [WrittenLine]
        let added: [WrittenLine]
        var isEmpty: Bool { removed.isEmpty && added.isEmpty }
    }
}

extension VCard {
    /// The written properties, except those that only record the writer and the time.
    fileprivate var mergedLines: [WrittenLine] {
        properties.filter { !["PRODID", "REV"].contains($0.name) }.map { WrittenLine($0) }
    }
}
