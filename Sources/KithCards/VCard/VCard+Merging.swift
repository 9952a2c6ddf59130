extension VCard {
    /// What becomes of a card that two programs have edited.
    package enum Merge: Hashable, Sendable {
        /// Both edits are in this card.
        case merged(VCard)
        /// Both edits changed these properties, each in another way; in capitals, in order.
        case conflict(properties: [String])
    }

    /// This card with the edit that led from `base` to `mine`, property by property.
    ///
    /// Only the lines of the properties that the edit touched change. PRODID and REV never conflict: those of this
    /// card stay. The lines of a group belong together: two edits of one group conflict unless they are the same.
    /// Lines that are put in end as those of this card do.
    package func merging(_ mine: VCard, editedFrom base: VCard) -> Merge {
        if base == mine || self == mine { return .merged(self) }
        if base == self { return .merged(mine) }
        let edit = LineEdit(from: base, to: mine)
        let other = LineEdit(from: base, to: self)
        let conflicts = edit.conflicts(with: other, ofOneKind: isOfOneKind(as: mine))
        guard conflicts.isEmpty else { return .conflict(properties: conflicts) }
        var merged = self
        merged.edit { $0.patches(performing: edit.without(other)) }
        return .merged(merged)
    }

    /// The names of the properties that another version of this card has changed, in capitals, in order; none if both
    /// say the same, however they are folded and whenever they were written.
    package func properties(differingFrom other: VCard) -> [String] {
        let edit = LineEdit(from: self, to: other)
        return Set((edit.removed + edit.added).map(\.name)).sorted()
    }

    /// Whether a line of the other card can stand in this one as it is written there, but for its line ends.
    private func isOfOneKind(as other: VCard) -> Bool {
        version == other.version && encoding == other.encoding && charset == .utf8 && other.charset == .utf8
    }

    /// What performs an edit of another version of this card: a line that was changed keeps its place.
    private func patches(performing edit: LineEdit) -> [Patch] {
        let lineEnd = manner.lineEnd
        var (removed, added) = (edit.removed, edit.added)
        var patches: [Patch] = []
        for (index, property) in properties.enumerated() {
            guard let old = removed.firstIndex(of: WrittenLine(property)) else { continue }
            removed.remove(at: old)
            let new =
                added.firstIndex { $0.name == property.name }.map { added.remove(at: $0).bytes(lineEnd: lineEnd) } ?? []
            patches.append(Patch(index: index, range: places[index].range, lines: new))
        }
        return patches + added.map { Patch(index: places.count, range: end..<end, lines: $0.bytes(lineEnd: lineEnd)) }
    }
}
