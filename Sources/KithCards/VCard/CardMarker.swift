/// A line that begins or ends a card.
enum CardMarker: Equatable {
    case none
    /// The bytes end before it can be told.
    case undecided
    /// `BEGIN:VCARD` at `start`; the next line begins at `next`. `endsInCR`: the line ends in a CR alone.
    case begin(start: Int, next: Int, endsInCR: Bool)
    /// `END:VCARD`; what follows begins at `next`.
    case end(start: Int, next: Int)

    /// More blanks than this do not stand in such a line.
    private static let mostBlanks = 256

    /// Looks for a marker at `start`, which is the start of a line. `isWhole`: the stream ends where `bytes` end.
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
            // Files that do not end in a line end are put together by some programs.
            var following = Reading(bytes: bytes, place: end, isWhole: isWhole)
            if following.take("BEGIN:VCARD") { self = .end(start: start, next: end) }
            if following.hasRunOut { self = .undecided }
        } else if reading.hasRunOut {
            self = .undecided
        }
    }

    /// A place that moves on while the bytes are as expected.
    private struct Reading {
        let bytes: UnsafeBufferPointer<UInt8>
        var place: Int
        let isWhole: Bool
        /// Whether the bytes ended where more could have come.
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

        /// The place after the line end here, which the end of the stream is too.
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
