/// Cuts a stream of text into cards, the text between them, and unreadable parts.
///
/// It looks only at the starts of lines. The cuts do not depend on the chunks in which the stream arrives.
struct CardCutter {
    /// One part of the stream.
    enum Piece {
        case card(Range<Int>, line: Int, CardFrame)
        case fault(Range<Int>, line: Int, sentence: String)
        case between(Range<Int>)
    }

    /// A card that has begun and not ended.
    private struct OpenCard {
        let line: Int
        let linesEndInCR: Bool
        /// The starts of the nested cards that have not ended, and of their AGENTs, relative to the start of this card.
        var begins: [(agent: Int, card: Int)] = []
        var nested: [NestedCard] = []
        var isTooDeep = false
        var doubt: Doubt?
    }

    /// A BEGIN inside a card without an AGENT before it.
    ///
    /// If the outer card ends, this BEGIN began a nested card. If another BEGIN or the end of the stream comes first,
    /// the outer card has no END, and this is the next card. In that case the state before this BEGIN is restored, and
    /// the bytes are scanned again.
    private struct Doubt {
        /// The start, relative to the start of the card.
        let place: Int
        let line: Int
        /// The nested cards that were open, and the number that had ended.
        let begins: Int
        let nested: Int
        let isTooDeep: Bool
    }

    private enum Step {
        case piece(Piece)
        /// The state changed: scan again.
        case on
        /// Undecided until more bytes arrive.
        case wait
    }

    /// The maximum size of one piece of text between cards, in bytes.
    static let stretch = 64 * 1024

    private let limit: Int
    /// The start of the next piece.
    private(set) var start = 0
    /// How far the bytes have been scanned, and the line number there.
    private var (place, line) = (0, 1)
    /// Up to here, the line at `place` is known not to end.
    private var searched = 0
    /// Whether `place` is inside a line between cards that can be skipped.
    private var isWithinLine = false
    private var open: OpenCard?
    /// Before this index everything is decided: a BEGIN there is not scanned a third time.
    private var decided = 0
    /// Whether the rest of a too large card is being skipped.
    private var isSkipping = false

    /// - Parameter limit: The maximum size of a card, in bytes.
    init(limit: Int) { self.limit = limit }

    /// Records that the bytes before ``start`` were dropped.
    mutating func dropCut() {
        place -= start
        searched = max(0, searched - start)
        decided = max(0, decided - start)
        start = 0
    }

    /// The next part; nil if more bytes are needed, or if there is none.
    /// - Parameters:
    ///   - bytes: The bytes that have arrived and were not dropped.
    ///   - isWhole: Whether the stream has ended.
    /// - Returns: The range in `bytes`, and the kind of the part.
    mutating func next(in bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool) -> Piece? {
        while true {
            switch open == nil ? between(bytes, isWhole) : inside(bytes, isWhole) {
            case .piece(let piece): return piece
            case .on: continue
            case .wait: return nil
            }
        }
    }

    /// Cuts here; the next part begins at `end`.
    private mutating func cut(at end: Int) -> Range<Int> {
        defer { start = end }
        return start..<end
    }

    // MARK: Between cards

    private mutating func between(_ bytes: UnsafeBufferPointer<UInt8>, _ isWhole: Bool) -> Step {
        if place - start >= Self.stretch { return .piece(.between(cut(at: bytes.letterStart(start + Self.stretch)))) }
        guard place < bytes.count else {
            return isWhole && start < place ? .piece(.between(cut(at: place))) : .wait
        }
        if isWithinLine { return restOfLine(bytes, isWhole) }
        guard let first = bytes.afterMarks(place, isWhole: isWhole) else { return .wait }
        switch CardMarker(in: bytes, at: first, isWhole: isWhole) {
        case .undecided: return .wait
        case .none: isWithinLine = true
        case .begin(let begin, let next, let endsInCR):
            place = begin
            guard start == begin else { return .piece(.between(cut(at: begin))) }
            open = OpenCard(line: line, linesEndInCR: endsInCR)
            isSkipping = false
            goOn(at: next, bytes)
        case .end(let end, let next):
            guard !isSkipping else {
                goOn(at: next, bytes)
                return .on
            }
            place = end
            guard start == end else { return .piece(.between(cut(at: end))) }
            defer { goOn(at: next, bytes) }
            return .piece(.fault(cut(at: next), line: line, sentence: Self.endWithoutBegin))
        }
        return .on
    }

    private mutating func restOfLine(_ bytes: UnsafeBufferPointer<UInt8>, _ isWhole: Bool) -> Step {
        guard let end = bytes[place...].firstIndex(where: \.isLineEnd) else {
            place = bytes.count
            return .on
        }
        place = end
        guard isWhole || bytes.isDecided(lineEndAt: end) else { return .wait }
        goOn(at: bytes.afterLineEnd(at: end), bytes)
        isWithinLine = false
        return .on
    }

    /// Continues at the start of the next line, or after an END that another card follows on its line.
    private mutating func goOn(at next: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
        place = next
        if bytes[next - 1].isLineEnd { line += 1 }
    }

    // MARK: In a card

    private mutating func inside(_ bytes: UnsafeBufferPointer<UInt8>, _ isWhole: Bool) -> Step {
        guard place - start <= limit else { return tooLarge(bytes, isWhole) }
        guard place < bytes.count else { return isWhole ? unclosed(decided: place) : .wait }
        switch bytes[place].capital {
        case UInt8(ascii: "B"), UInt8(ascii: "E"):
            switch CardMarker(in: bytes, at: place, isWhole: isWhole) {
            case .undecided: return .wait
            case .none: break
            case .begin(_, let next, _): return begin(bytes, next: next)
            case .end(_, let next):
                // Only a card outside other cards may be followed by another one on the line of its END.
                if let open, !open.begins.isEmpty, next < bytes.count, !bytes[next - 1].isLineEnd {
                    if open.doubt?.begins == open.begins.count - 1 { return unclosed(decided: place) }
                    break
                }
                return next - start > limit ? tooLarge(bytes, isWhole) : end(bytes, next: next)
            }
        default: break
        }
        return line(bytes, isWhole)
    }

    private mutating func begin(_ bytes: UnsafeBufferPointer<UInt8>, next: Int) -> Step {
        guard let open else { return .on }
        let agent = bytes.agent(atEndOf: start..<place, linesEndInCR: open.linesEndInCR)
        if agent == nil {
            guard open.doubt == nil, place >= decided else { return unclosed(decided: place) }
            self.open?.doubt = Doubt(
                place: place - start, line: line, begins: open.begins.count, nested: open.nested.count,
                isTooDeep: open.isTooDeep)
        }
        beginNested(bytes, agent: agent ?? place, at: place, next: next)
        return .on
    }

    private mutating func beginNested(_ bytes: UnsafeBufferPointer<UInt8>, agent: Int, at begin: Int, next: Int) {
        open?.begins.append((agent - start, begin - start))
        if let open, open.begins.count > VCard.Limits.nesting { self.open?.isTooDeep = true }
        goOn(at: next, bytes)
    }

    private mutating func end(_ bytes: UnsafeBufferPointer<UInt8>, next: Int) -> Step {
        let end = place - start
        goOn(at: next, bytes)
        if let begin = open?.begins.popLast() {
            if open?.begins.isEmpty == true {
                open?.nested.append(NestedCard(start: begin.agent, range: begin.card..<next - start))
            }
            if let open, let doubt = open.doubt, open.begins.count < doubt.begins { self.open?.doubt = nil }
            return .on
        }
        guard let card = open else { return .on }
        open = nil
        guard !card.isTooDeep else {
            return .piece(.fault(cut(at: next), line: card.line, sentence: Self.tooDeep))
        }
        let frame = CardFrame(end: end, nested: card.nested, missingEnds: 0)
        return .piece(.card(cut(at: next), line: card.line, frame))
    }

    /// Continues at the next line.
    private mutating func line(_ bytes: UnsafeBufferPointer<UInt8>, _ isWhole: Bool) -> Step {
        let from = max(place, searched)
        let endsInCR = open?.linesEndInCR == true
        let found =
            endsInCR ? bytes[from...].firstIndex(where: \.isLineEnd) : bytes.firstIndex(of: .lineFeed, from: from)
        guard isWhole || found.map(bytes.isDecided(lineEndAt:)) == true else {
            searched = found ?? bytes.count
            return bytes.count - start > limit ? tooLarge(bytes, isWhole) : .wait
        }
        let end = found ?? bytes.count
        let next = bytes.afterLineEnd(at: end)
        if let begin = bytes.cardAfterAgent(place..<end) {
            guard isWhole || next < bytes.count else { return .wait }
            // A blank continues the line: then the nested card is written as a text.
            if next == bytes.count || !bytes[next].isBlank {
                beginNested(bytes, agent: place, at: begin, next: next)
                return .on
            }
        }
        goOn(at: next, bytes)
        return .on
    }

    /// Ends a card that has no END: here, or at an undecided BEGIN.
    private mutating func unclosed(decided: Int) -> Step {
        guard var card = open else { return .on }
        if let doubt = card.doubt {
            self.decided = max(self.decided, decided)
            (place, line) = (start + doubt.place, doubt.line)
            searched = place
            card.begins.removeSubrange(doubt.begins...)
            card.nested.removeSubrange(doubt.nested...)
            card.isTooDeep = doubt.isTooDeep
        }
        open = nil
        guard !card.isTooDeep else {
            return .piece(.fault(cut(at: place), line: card.line, sentence: Self.tooDeep))
        }
        let end = place - start
        if let begin = card.begins.first {
            card.nested.append(NestedCard(start: begin.agent, range: begin.card..<end))
        }
        let frame = CardFrame(end: end, nested: card.nested, missingEnds: card.begins.count + 1)
        return .piece(.card(cut(at: place), line: card.line, frame))
    }

    private mutating func tooLarge(_ bytes: UnsafeBufferPointer<UInt8>, _ isWhole: Bool) -> Step {
        if open?.doubt != nil { return unclosed(decided: start + limit) }
        // Two more bytes are needed to know the length of a line end at the limit.
        guard let card = open, isWhole || bytes.count >= start + limit + 3 else { return .wait }
        let end = bytes.letterStart(start + limit)
        let lines = ContentLines(bytes: bytes, areEndedByCR: card.linesEndInCR)
        (place, line, searched) = (start, card.line, 0)
        while lines.line(at: place).next <= end, place < end { goOn(at: lines.line(at: place).next, bytes) }
        (place, isWithinLine, isSkipping, open) = (end, true, true, nil)
        return .piece(.fault(cut(at: end), line: card.line, sentence: Self.tooLarge(limit)))
    }

    // MARK: Sentences

    private static let endWithoutBegin =
        "END:VCARD has no BEGIN:VCARD before it. Add that line at the beginning of the card."
    private static let tooDeep =
        "Cards within the card are nested more than \(VCard.Limits.nesting) deep. Move them out of the card."
    private static func tooLarge(_ limit: Int) -> String {
        "The card is larger than \(limit) bytes. Remove photos or sounds from it."
    }
}
