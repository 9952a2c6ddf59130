/// Finds the line ends in the bytes of a card.
///
/// LF, CR LF and CR CR LF always end a line (some programs write the last one). A CR alone does so only if the first
/// line of the card ends in one; otherwise it is a stray control character in a value.
struct ContentLines {
    let bytes: UnsafeBufferPointer<UInt8>
    /// Whether a CR alone ends a line.
    let areEndedByCR: Bool

    /// A line: its start, the end of its text, and the start of the next line.
    struct Line {
        let start: Int
        let end: Int
        let next: Int
    }

    /// The line that begins at `start`. The last line ends at the end of the bytes.
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

    /// Whether the line contains only blanks.
    func isBlank(_ line: Line) -> Bool { bytes[line.start..<line.end].allSatisfy(\.isBlank) }

    /// Whether the line continues the one before it.
    func isFolded(_ line: Line) -> Bool { line.start < line.end && bytes[line.start].isBlank }
}
