/// A line that begins or ends a card.
enum CardMarker: Equatable {
    case none
    /// Undecided: the bytes end too early.
    case undecided
    /// `BEGIN:VCARD` at `start`; the next line begins at `next`. `endsInCR`: the line ends in a CR alone.
    case begin(start: Int, next: Int, endsInCR: Bool)
    /// `END:VCARD`; the bytes after it begin at `next`.
    case end(start: Int, next: Int)

    /// The maximum number of blanks in such a line.
    private static let mostBlanks = 256

    /// Looks for a marker at `start`, the start of a line. `isWhole`: the stream ends where `bytes` end.
    init(in bytes: UnsafeBufferPointer<UInt8>, at start: Int, isWhole: Bool) {
        var reading = Reading(bytes: bytes, place: start, isWhole: isWhole)
        self = .none
        let isBegin = start < bytes.count && bytes[start].capital == UInt8(ascii: "B")
        guard reading.take(isBegin ? "BEGIN" : "END"), reading.takeBlanks(Self.mostBlanks),
            reading.take(":"), reading.takeBlanks(Self.mostBlanks),
            reading.take("VCARD")
        else {
            if reading.hasRunOut { self = .undecided }
            return
        }
        let end = reading.place
        guard reading.takeBlanks(Self.mostBlanks) else {
            if reading.hasRunOut { self = .undecided }
            return
        }
        if let next = reading.lineEnd() {
            self =
                isBegin
                ? .begin(
                    start: start, next: next, endsInCR: next == reading.place + 1 && bytes[next - 1] == .carriageReturn)
                : .end(start: start, next: next)
        } else if !isBegin, !reading.hasRunOut {
            // Some programs join files that do not end in a line end.
            var following = Reading(bytes: bytes, place: end, isWhole: isWhole)
            if following.take("BEGIN:VCARD") { self = .end(start: start, next: end) }
            if following.hasRunOut { self = .undecided }
        } else if reading.hasRunOut {
            self = .undecided
        }
    }

    /// An index that advances while the bytes are as expected.
    private struct Reading {
        let bytes: UnsafeBufferPointer<UInt8>
        var place: Int
        let isWhole: Bool
        /// Whether the bytes ended before the decision.
        var hasRunOut = false

        mutating func take(_ word: StaticString) -> Bool {
            for index in 0..<word.utf8CodeUnitCount {
                guard place < bytes.count else {
                    hasRunOut = !isWhole
                    return false
                }
                guard bytes[place].capital == word.utf8Start[index] else { return false }
                place += 1
            }
            return true
        }

        mutating func takeBlanks(_ most: Int) -> Bool {
            let start = place
            while place < bytes.count, bytes[place].isBlank, place - start < most { place += 1 }
            hasRunOut = place == bytes.count && !isWhole
            return !hasRunOut
        }

        /// The index after the line end here. The end of the stream counts as a line end.
        mutating func lineEnd() -> Int? {
            guard place < bytes.count else { return isWhole ? place : nil }
            guard bytes[place].isLineEnd else { return nil }
            guard isWhole || bytes.isDecided(lineEndAt: place) else {
                hasRunOut = true
                return nil
            }
            return bytes.afterLineEnd(at: place)
        }
    }
}
