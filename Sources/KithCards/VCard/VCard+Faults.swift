extension VCard {
    /// What of the card could not be read, or not as it was meant, in the order of the card. Everything else was read.
    ///
    /// There may be no END, a charset that is not known, a day that no calendar
    /// has, an indented line without a property before it.
    public var faults: [VCardFault] {
        let mayHave: PropertyPlace.Manner = [.foreignCharset, .day]
        let indented = indentedStart
        guard !isClosed || indented != nil || places.contains(where: { !$0.manner.isDisjoint(with: mayHave) }) else {
            return []
        }
        var faults: [VCardFault] = []
        if !isClosed { faults.append(VCardFault(line: line, Self.noEnd, bytes: [])) }
        var lines = LineNumbers(of: self)
        func add(_ sentence: String, at index: Int) {
            faults.append(VCardFault(line: lines.number(at: index, in: text), sentence, bytes: []))
        }
        if let indented { add(Self.indentedLine, at: indented) }
        // Each charset once: a card may name it in every property.
        var charsets: Set<String> = []
        for (index, place) in places.enumerated() where !place.manner.isDisjoint(with: mayHave) {
            let property = properties[index]
            if let name = property.foreignCharset, charsets.insert(name).inserted, !Charset.isKnown(name) {
                add(Self.unknownCharset(name), at: place.start)
            }
            if let day = property.impossibleDay { add(Self.impossible(property.name, day), at: place.start) }
        }
        return faults
    }

    /// Whether it has an END.
    var isClosed: Bool { missingEnds == 0 }

    /// Where the line begins that follows BEGIN, if it begins with a blank as if it went on with a property.
    private var indentedStart: Int? {
        text.withUnsafeBufferPointer { bytes in
            let lines = ContentLines(bytes: bytes, areEndedByCR: PropertyScan.endsLinesWithCR(bytes))
            var line = lines.line(at: lines.line(at: 0).next)
            while line.start == line.end, line.next < end { line = lines.line(at: line.next) }
            return line.start < end && lines.isFolded(line) && !lines.isBlank(line) ? line.start : nil
        }
    }

    // MARK: What to say

    private static let noEnd =
        "The card has no END:VCARD. It was read up to the next card or the end, but the rest of it may be lost. "
        + "Add the line if nothing else is missing."
    private static let indentedLine =
        "The line is indented as the rest of another one, but follows BEGIN:VCARD. It was not read. Take the blanks away."
    private static func unknownCharset(_ name: String) -> String {
        "The charset “\(name.prefix(longestQuote))” is not known, so that letters may be wrong. Write the card in UTF-8."
    }
    private static func impossible(_ name: String, _ day: String) -> String {
        "\(name.prefix(longestQuote)) is \(day.prefix(longestQuote)), which is no day of the calendar. Correct it."
    }
    /// More of a card is not repeated.
    private static let longestQuote = 40
}

extension VCard.Property {
    /// The charset that it names if that is not UTF-8.
    fileprivate var foreignCharset: String? {
        guard isInForeignCharset, let charset, !charset.isEmpty else { return nil }
        return charset
    }

    /// Its text, if it is a date that no calendar has.
    fileprivate var impossibleDay: String? {
        guard isOfDay, parameters["VALUE"].first?.lowercased() != "text" else { return nil }
        let text = text
        return DateAndTime.isImpossible(text) ? text : nil
    }
}

/// The numbers of a card's lines in the stream, for places that are asked for in their order.
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
