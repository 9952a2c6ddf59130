/// Finds where lines end in the bytes of a card.
///
/// LF, CR LF and CR CR LF end lines everywhere (some programs write the last of
/// them). A CR alone does so only in a card whose first line ends in one: in
/// others it is a stray control character within a value.
struct ContentLines {
    let bytes: UnsafeBufferPointer<UInt8>
    /// Whether a CR alone ends a line.
    let areEndedByCR: Bool

    /// A line by its places: where it begins, where its text ends, and where the next one begins.
    struct Line {
        let start: Int
        let end: Int
        let next: Int
    }

    /// The line that begins at `start`; the last one ends where the bytes end.
    func line(at start: Int) -> Line {
        if areEndedByCR {
            let end = bytes[start...].firstIndex(where: \.isLineEnd) ?? bytes.count
            return Line(start: start, end: end, next: bytes.afterLineEnd(at: end))
        }
        guard let lineFeed = bytes.firstIndex(of: .lineFeed, from: start) else {
            return Line(start: start, end: withoutReturns(start, bytes.count), next: bytes.count)
        }
        return Line(start: start, end: withoutReturns(start, lineFeed), next: lineFeed + 1)
    }

    private func withoutReturns(_ start: Int, _ end: Int) -> Int {
        var end = end
        while end > start, bytes[end - 1] == .carriageReturn { end -= 1 }
        return end
    }

    /// Whether there is nothing on the line.
    func isBlank(_ line: Line) -> Bool { bytes[line.start..<line.end].allSatisfy(\.isBlank) }

    /// Whether the line is the rest of the one before it.
    func isFolded(_ line: Line) -> Bool { line.start < line.end && bytes[line.start].isBlank }
}
