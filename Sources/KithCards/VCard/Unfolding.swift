extension ContentLines {
    /// The bytes in `range` without line ends, and without the one blank by which a line says that it
    /// goes on (RFC 6350, section 3.2).
    ///
    /// They are joined as bytes: some programs fold in the midst of a character. Version 2.1 parts
    /// lines where blanks are, and keeps these; but its programs do as those of 3.0 do.
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

    /// Whether the program folds in its own way where a soft break is already: then the blank after it is no text.
    ///
    /// It is taken to if each line goes on with a blank, and if this is not a single case
    /// that other blanks in the value make likely.
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

    /// The place of the `=` that ends a line of quoted-printable without ending its text.
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
