extension ContentLines {
    /// The bytes in `range` without line ends and without the blank that marks each continuation line (RFC 6350,
    /// section 3.2).
    ///
    /// Lines are joined as bytes, because some programs fold inside a character. Version 2.1 specifies folds at blanks
    /// that are kept, but its programs fold as those of 3.0 do.
    func unfolded(_ range: Range<Int>) -> [UInt8] {
        var unfolded: [UInt8] = []
        unfolded.reserveCapacity(range.count)
        forEachLine(in: range) { line in
            let isFold = line.lowerBound > range.lowerBound && bytes[line.lowerBound].isBlank
            unfolded.append(contentsOf: bytes[line.dropFirst(isFold ? 1 : 0)])
        }
        return unfolded
    }

    /// As ``unfolded(_:)``, and without the soft breaks of quoted-printable, an `=` at the end of a line.
    func unfoldedSoftBreaks(_ range: Range<Int>) -> [UInt8] {
        let dropsBlank = foldsAfterSoftBreaks(range)
        var unfolded: [UInt8] = []
        unfolded.reserveCapacity(range.count)
        var isSoft = false
        forEachLine(in: range) { line in
            let isFold = line.lowerBound > range.lowerBound && bytes[line.lowerBound].isBlank && (!isSoft || dropsBlank)
            let softBreak = softBreak(in: line)
            unfolded.append(contentsOf: bytes[line.lowerBound + (isFold ? 1 : 0)..<(softBreak ?? line.upperBound)])
            isSoft = softBreak != nil
        }
        return unfolded
    }

    /// Whether the program adds its own folds at soft breaks: then the blank after a soft break is no text.
    ///
    /// This is assumed if each continuation line begins with a blank, unless it is a single case that other blanks in
    /// the value explain.
    private func foldsAfterSoftBreaks(_ range: Range<Int>) -> Bool {
        var breaks = 0
        var folds = 0
        var hasOtherBlanks = false
        var isSoft = false
        forEachLine(in: range) { line in
            let startsBlank = bytes[line.lowerBound].isBlank
            if isSoft { (breaks, folds) = (breaks + 1, folds + (startsBlank ? 1 : 0)) }
            let softBreak = softBreak(in: line)
            hasOtherBlanks =
                hasOtherBlanks
                || bytes[line.dropFirst().prefix { $0 < softBreak ?? Int.max }].contains(where: \.isBlank)
            isSoft = softBreak != nil
        }
        return folds == breaks && (folds > 1 || folds == 1 && !hasOtherBlanks)
    }

    /// The index of the `=` that ends a line of quoted-printable as a soft break.
    private func softBreak(in line: Range<Int>) -> Int? {
        guard let last = line.last(where: { !bytes[$0].isBlank }), bytes[last] == .equals else { return nil }
        return last
    }

    /// The lines in `range` that are not empty, without their ends.
    private func forEachLine(in range: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = range.lowerBound
        while start < range.upperBound {
            let line = line(at: start)
            let end = min(line.end, range.upperBound)
            if start < end { body(start..<end) }
            start = line.next
        }
    }
}
