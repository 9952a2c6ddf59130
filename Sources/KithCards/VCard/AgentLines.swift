// MARK: Where cards begin within cards

extension UnsafeBufferPointer<UInt8> {
    /// `index`, or the start of the UTF-8 character that contains it.
    func letterStart(_ index: Int) -> Int {
        var start = index
        while start > index - 3, start < count, self[start] & 0xC0 == 0x80 { start -= 1 }
        return start < count && self[start] & 0xC0 == 0x80 ? index : start
    }

    /// The index after a byte order mark and blanks; nil if the bytes end before it is known.
    func afterMarks(_ index: Int, isWhole: Bool) -> Int? {
        var index = index
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let present = self[index...].prefix(3)
        if present.elementsEqual(mark) {
            index += 3
        } else if mark.starts(with: present), !isWhole {
            return nil
        }
        let most = index + 256
        while index < count, self[index].isBlank, index < most { index += 1 }
        return index < count || isWhole ? index : nil
    }

    /// The start of the last line in `range` that is not empty, if it is an AGENT without a value.
    func agent(atEndOf range: Range<Int>, linesEndInCR: Bool) -> Int? {
        guard let colon = self[range].lastIndex(where: { !$0.isLineEnd && !$0.isBlank }), self[colon] == .colon else {
            return nil
        }
        // A line of blanks means that the value is an empty text.
        if self[(colon + 1)..<range.upperBound].drop(while: \.isBlank).contains(where: \.isBlank) { return nil }
        let end = self[range.lowerBound..<colon].lastIndex { $0 == .lineFeed || linesEndInCR && $0.isLineEnd }
        let start = end.map { $0 + 1 } ?? range.lowerBound
        return agentColon(in: start..<colon + 1) == colon ? start : nil
    }

    /// The index of BEGIN in a line `AGENT:BEGIN:VCARD`.
    func cardAfterAgent(_ line: Range<Int>) -> Int? {
        guard let first = line.first, self[first].capital == UInt8(ascii: "A") else { return nil }
        guard let colon = agentColon(in: line) else { return nil }
        let start = self[(colon + 1)..<line.upperBound].firstIndex { !$0.isBlank } ?? line.upperBound
        let rest = UnsafeBufferPointer(rebasing: self[start..<line.upperBound])
        guard case .begin = CardMarker(in: rest, at: 0, isWhole: true) else { return nil }
        return start
    }

    /// The index of the colon before the value, if `line` is an AGENT and not the continuation of another line.
    private func agentColon(in line: Range<Int>) -> Int? {
        guard let first = line.first, !self[first].isBlank else { return nil }
        var isQuoted = false
        guard let colon = colon(in: line, isQuoted: &isQuoted) else { return nil }
        let name = self[VCard.PropertyName.range(in: self, header: first..<colon)]
        return UnsafeBufferPointer(rebasing: name).spells("AGENT") ? colon : nil
    }
}
