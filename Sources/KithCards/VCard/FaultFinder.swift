import TextEncodings

/// Finds the parts of a card that could not be read, or not as intended.
struct FaultFinder {
    let card: VCard

    /// The faults, in the order of the card.
    var faults: [VCardFault] {
        var faults = card.isClosed ? [] : [VCardFault(line: card.line, Self.noEnd, bytes: [])]
        let found = faultyPlaces.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        var lines = LineNumbers(of: card)
        for (_, place) in found {
            faults.append(VCardFault(line: lines.number(at: place.start, in: card.text), place.sentence, bytes: []))
        }
        return faults
    }

    /// The starts of the faulty lines and properties, with a sentence for each fault.
    private var faultyPlaces: [(start: Int, sentence: String)] {
        let (places, properties) = (card.places, card.properties)
        var found: [(start: Int, sentence: String)] = []
        if let indented = indentedStart { found.append((indented, Self.indentedLine)) }
        for (index, start) in card.strays.starts.enumerated() {
            // The last one also tells how many follow.
            let more = index == StrayLines.most - 1 ? card.strays.count - StrayLines.most : 0
            let hasBlank = more == 0 && isProgramsName(withBlankAt: start)
            found.append((start, hasBlank ? Self.blankInName : Self.strayLine(more: more)))
        }
        let mayHave: PropertyPlace.Manner = [.foreignCharset, .day, .base64]
        // Each charset once: a card can declare it in every property.
        var charsets: Set<String> = []
        for (index, place) in places.enumerated() where !place.manner.isDisjoint(with: mayHave) || mayBeURI(place) {
            let property = properties[index]
            if let name = property.foreignCharset, charsets.insert(name).inserted, !Charset.isKnown(name) {
                found.append((place.start, Self.unknownCharset(name)))
            }
            if let day = property.impossibleDay { found.append((place.start, Self.impossible(property.name, day))) }
            if property.isDamaged {
                found.append((place.start, Self.damaged(property.name, property.data?.count ?? 0)))
            }
        }
        for (index, place) in places.enumerated() where mayHaveMarks(place) && !properties[index].isStreamSafe {
            found.append((place.start, Self.tooManyMarks(properties[index].name)))
        }
        let isValid = card.text.withUnsafeBufferPointer(\.isASCII) || card.isUTF8(card.text.indices)
        for (index, place) in places.enumerated() where mayBeUndecodable(place, isValid: isValid) {
            if !properties[index].isDecodable { found.append((place.start, Self.undecodable(properties[index].name))) }
        }
        return found
    }

    /// Whether the value can have a long run of combining marks: each has a byte or more, in any charset.
    private func mayHaveMarks(_ place: PropertyPlace) -> Bool {
        place.value.count > StreamSafeText.most && place.manner.isDisjoint(with: [.base64, .nested])
            && (!place.manner.isDisjoint(with: [.quotedPrintable, .charset])
                || !card.text[place.value].withUnsafeBufferPointer { $0.isASCII })
    }

    /// Whether the value can have bytes that are no characters. `isValid` tells whether the card is valid UTF-8.
    private func mayBeUndecodable(_ place: PropertyPlace, isValid: Bool) -> Bool {
        guard place.manner.isDisjoint(with: [.base64, .nested]) else { return false }
        return !place.manner.isDisjoint(with: [.quotedPrintable, .foreignCharset])
            || !isValid && !card.text[place.value].withUnsafeBufferPointer { $0.isASCII }
    }

    /// Whether the line at `start` would be a property of a program if its name had no blank: `X-GOOGLE TALK:a`.
    private func isProgramsName(withBlankAt start: Int) -> Bool {
        let line = card.text[start...].prefix { !$0.isLineEnd }
        let name = line.prefix { $0 != .colon && $0 != .semicolon }
        return name.count < line.count && name.contains(.space) && name.prefix(2).map(\.capital) == Array("X-".utf8)
            && name.allSatisfy { $0.isLetterOrDigit || $0 == .space || $0 == UInt8(ascii: "-") }
    }

    /// Whether the value begins as a `data:` URI does.
    private func mayBeURI(_ place: PropertyPlace) -> Bool {
        card.text[place.value].first { $0 > 0x20 }?.capital == UInt8(ascii: "D")
    }

    /// The start of the line after BEGIN, if that line begins with a blank as if it continued a property.
    private var indentedStart: Int? {
        card.text.withUnsafeBufferPointer { bytes in
            let lines = ContentLines(bytes: bytes, areEndedByCR: PropertyScan.endsLinesWithCR(bytes))
            var line = lines.line(at: lines.line(at: 0).next)
            while line.start == line.end, line.next < card.end { line = lines.line(at: line.next) }
            return line.start < card.end && lines.isFolded(line) && !lines.isBlank(line) ? line.start : nil
        }
    }

    // MARK: Sentences

    private static let noEnd =
        "The card has no END:VCARD. It was read up to the next card or the end, but the rest of it may be lost. "
        + "Add the line if nothing else is missing."
    private static let indentedLine =
        "The line is indented like a continuation line, but follows BEGIN:VCARD. It was not read. Remove the blanks."
    private static let blankInName =
        "The line is no property: its name has a blank, so it was not read. Replace the blank with a hyphen."
    private static func strayLine(more: Int) -> String {
        more == 0
            ? "The line is no property: it has no name and colon. If it continues the line before it, put a blank "
                + "before it."
            : "The line and \(more) more below it are no properties: they have no name and colon. If they continue the "
                + "lines before them, put a blank before each."
    }
    private static func unknownCharset(_ name: String) -> String {
        "The charset “\(name.prefix(longestQuote))” is not known, so some letters may be wrong. Save the card in UTF-8."
    }
    private static func undecodable(_ name: String) -> String {
        "\(name.prefix(longestQuote)) has bytes that are no letters of its charset. They are shown as “\u{FFFD}”. "
            + "Correct it."
    }
    private static func impossible(_ name: String, _ day: String) -> String {
        "\(name.prefix(longestQuote)) is \(day.prefix(longestQuote)), which is not a date of the calendar. Correct it."
    }
    private static func damaged(_ name: String, _ size: Int) -> String {
        "\(name.prefix(longestQuote)) is damaged or cut off: \(size) bytes could be read. Replace it."
    }
    private static func tooManyMarks(_ name: String) -> String {
        "\(name.prefix(longestQuote)) has \(StreamSafeText.excess). The others were not read. Remove them."
    }
    /// The maximum number of quoted characters in a message.
    private static let longestQuote = 40
}

extension VCard.Property {
    /// The declared charset, if it is not UTF-8.
    fileprivate var foreignCharset: String? {
        guard isInForeignCharset, let charset, !charset.isEmpty else { return nil }
        return charset
    }

    /// The text, if it is a date that does not exist.
    fileprivate var impossibleDay: String? {
        guard isOfDay, parameters["VALUE"].first?.lowercased() != "text" else { return nil }
        let text = text
        return DateAndTime.isImpossible(text) ? text : nil
    }
}

/// The line numbers of indices in a card, which must be requested in ascending order.
private struct LineNumbers {
    private var place = 0
    private var number: Int

    init(of card: VCard) { number = card.line }

    mutating func number(at index: Int, in text: [UInt8]) -> Int {
        text.withUnsafeBufferPointer { bytes in
            let lines = ContentLines(bytes: bytes, areEndedByCR: PropertyScan.endsLinesWithCR(bytes))
            while case let next = lines.line(at: place).next, next <= index, next > place {
                (place, number) = (next, number + 1)
            }
        }
        return number
    }
}
