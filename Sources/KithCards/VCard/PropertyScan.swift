/// Finds the properties in the bytes of one card.
///
/// Lines without a colon, and lines without a valid name, are no properties. They stay in the card's bytes and become
/// faults.
struct PropertyScan {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let lines: ContentLines
    /// The start of the line of END.
    private let end: Int
    /// The nested cards that follow, in order.
    private var nested: ArraySlice<NestedCard>
    private(set) var places: [PropertyPlace] = []
    private(set) var strays = StrayLines()

    /// - Parameters:
    ///   - bytes: The card, from BEGIN to END.
    ///   - frame: Its end and its nested cards.
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ frame: CardFrame) {
        self.bytes = bytes
        end = frame.end
        nested = frame.nested[...]
        lines = ContentLines(bytes: bytes, areEndedByCR: Self.endsLinesWithCR(bytes))
        places.reserveCapacity(24)
        var start = lines.line(at: 0).next
        while start < end { start = next(at: start) }
    }

    /// Whether the line of BEGIN ends in a CR alone.
    static func endsLinesWithCR(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let index = bytes.firstIndex(where: \.isLineEnd) else { return false }
        return bytes[index] == .carriageReturn && bytes.afterLineEnd(at: index) == index + 1
    }

    /// Reads the property at `start`, if there is one; returns the index to continue at.
    private mutating func next(at start: Int) -> Int {
        let card = nested.first?.start == start ? nested.removeFirst() : nil
        if let card, !card.isValue { return card.range.upperBound }
        let line = lines.line(at: start)
        guard line.start < line.end, !bytes[line.start].isBlank else { return card?.range.upperBound ?? line.next }
        guard let header = header(of: line) else {
            if card == nil { strays.append(start) }
            return card?.range.upperBound ?? line.next
        }
        var place = PropertyPlace(start: start, colon: header.colon, manner: header.manner)
        if lines.areEndedByCR { place.manner.insert(.linesEndInCR) }
        place.valueEnd = header.line.end
        place.end = header.line.next
        if let card {
            take(card.range, as: &place)
        } else {
            extend(&place)
            if place.manner.contains(.base64) { takeBlankLines(&place) }
        }
        places.append(place)
        return place.end
    }

    // MARK: The value

    /// Adds the continuation lines of the value. A nested card has none.
    private func extend(_ place: inout PropertyPlace) {
        while place.end < end, place.end != nested.first?.start, let line = continuation(of: place) {
            place.end = line.next
            // A soft break without a continuation.
            if line.start == line.end { return }
            place.valueEnd = line.end
            place.manner.insert(.foldedValue)
        }
    }

    private func continuation(of place: PropertyPlace) -> ContentLines.Line? {
        if let fold = fold(at: place.end) { return fold }
        guard !place.manner.isDisjoint(with: [.base64, .quotedPrintable]) else { return nil }
        let line = lines.line(at: place.end)
        if place.manner.contains(.base64) { return line.start < line.end && isBase64(line) ? line : nil }
        return softened(line, after: place)
    }

    /// The continuation of the line before `start`.
    ///
    /// Some programs end each line twice, so that a blank line precedes each fold.
    private func fold(at start: Int) -> ContentLines.Line? {
        var line = lines.line(at: start)
        if lines.isFolded(line) { return line }
        while line.start == line.end, line.next < end { line = lines.line(at: line.next) }
        return lines.isFolded(line) && !lines.isBlank(line) ? line : nil
    }

    /// `line`, if the quoted-printable line before it ends in a soft break.
    private func softened(_ line: ContentLines.Line, after place: PropertyPlace) -> ContentLines.Line? {
        var last = place.valueEnd - 1
        while last > place.colon, bytes[last].isBlank { last -= 1 }
        return bytes[last] == .equals ? line : nil
    }

    /// Whether the line continues base64 without an indent, as version 2.1 permits. Only a property has a colon.
    private func isBase64(_ line: ContentLines.Line) -> Bool {
        bytes[line.start..<line.end].allSatisfy { $0.isBase64 || $0.isBlank }
    }

    /// Base64 of version 2.1 ends with an empty line, which belongs to the property.
    private func takeBlankLines(_ place: inout PropertyPlace) {
        while place.end < end {
            let line = lines.line(at: place.end)
            guard line.start == line.end else { return }
            place.end = line.next
        }
    }

    /// Makes a nested card the value of an AGENT.
    private func take(_ card: Range<Int>, as place: inout PropertyPlace) {
        place.valueEnd = card.upperBound
        place.end = card.upperBound
        place.manner.insert(.nested)
        // A continuation line after its end belongs to no property.
        while place.end < end, let line = fold(at: place.end) { place.end = line.next }
    }
}

// MARK: - The header

extension PropertyScan {
    /// The part before the value.
    private struct Header {
        let colon: Int
        var manner: PropertyPlace.Manner
        /// The line with the colon.
        let line: ContentLines.Line
    }

    private func header(of line: ContentLines.Line) -> Header? {
        guard let (colon, last) = colon(of: line) else { return nil }
        var manner: PropertyPlace.Manner = last.start == line.start ? [] : .foldedHeader
        if manner.isEmpty {
            let name = VCard.PropertyName.range(in: bytes, header: line.start..<colon)
            guard VCard.PropertyName.isSound(UnsafeBufferPointer(rebasing: bytes[name])) else { return nil }
            if VCard.PropertyName.isOfDay(UnsafeBufferPointer(rebasing: bytes[name])) { manner.insert(.day) }
            if name.upperBound < colon { manner.formUnion(Self.manner(of: bytes, name.upperBound..<colon)) }
        } else {
            let header = lines.unfolded(line.start..<colon)
            let isSound = header.withUnsafeBufferPointer { header in
                let name = VCard.PropertyName.range(in: header, header: 0..<header.count)
                manner.formUnion(Self.manner(of: header, name.upperBound..<header.count))
                if VCard.PropertyName.isOfDay(UnsafeBufferPointer(rebasing: header[name])) { manner.insert(.day) }
                return VCard.PropertyName.isSound(UnsafeBufferPointer(rebasing: header[name]))
            }
            guard isSound else { return nil }
        }
        return Header(colon: colon, manner: manner, line: last)
    }

    /// The first colon outside quotes, and its line.
    ///
    /// If quotes are not closed, which is normal in version 2.1, it is the first colon.
    private func colon(of line: ContentLines.Line) -> (Int, ContentLines.Line)? {
        if let colon = bytes.firstIndex(of: .colon, from: line.start, to: line.end),
            bytes.firstIndex(of: .quote, from: line.start, to: colon) == nil
        {
            return (colon, line)
        }
        var first: (Int, ContentLines.Line)?
        var isQuoted = false
        var line = line
        while true {
            if let colon = bytes.colon(in: line.start..<line.end, isQuoted: &isQuoted) { return (colon, line) }
            if first == nil, let colon = bytes.firstIndex(of: .colon, from: line.start, to: line.end) {
                first = (colon, line)
            }
            guard line.next < end else { return first }
            line = lines.line(at: line.next)
            guard lines.isFolded(line) else { return first }
        }
    }

    /// The properties of the encoding that the parameters in `range` declare.
    private static func manner(
        of bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> PropertyPlace.Manner {
        var manner: PropertyPlace.Manner = []
        VCard.Parameters.forEach(in: bytes, range) { name, value in
            manner.insert(.parameters)
            let text = UnsafeBufferPointer(rebasing: bytes[value])
            if let name {
                let name = UnsafeBufferPointer(rebasing: bytes[name])
                if name.spells("CHARSET") {
                    // The first one counts.
                    if !manner.contains(.charset), !text.spells("UTF-8") { manner.insert(.foreignCharset) }
                    manner.insert(.charset)
                }
                guard name.spells("ENCODING") else { return }
            } else {
                manner.insert(.bareParameter)
            }
            if text.spells("QUOTED-PRINTABLE") {
                manner.insert(.quotedPrintable)
            } else if text.spells("BASE64") || text.spells("B") {
                manner.insert(.base64)
            }
        }
        return manner
    }
}
