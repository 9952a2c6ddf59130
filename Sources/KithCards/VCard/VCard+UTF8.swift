extension VCard {
    /// The card in UTF-8. What is so already stays byte for byte; other properties are rewritten.
    ///
    /// Nil if something in it cannot be written so: half a character of UTF-16, a nested card in another charset, bytes
    /// that mean nothing in a card of UTF-8.
    package var inUTF8: VCard? {
        guard encoding == .asIs || isUTF8(text.indices) else { return nil }
        var card = inBytes
        if !card.isUTF8(card.text.indices) { card.recode() }
        return card.isUTF8(card.text.indices) ? card : nil
    }

    /// The card as it can stand beside others in one file: with its END, and in UTF-8 if it is in UTF-16, where half a
    /// character is U+FFFD. Every other card stays as it is.
    package var inBytes: VCard {
        guard encoding != .asIs else { return closed }
        var card = closed
        // What names another charset is in UTF-16 as all the others are, but for what has an encoding of its own.
        let foreign = card.places.indices.filter { card.places[$0].manner.contains(.charset) || card.isAmbiguous($0) }
        card.perform(foreign.map(card.patch(recoding:))[...])
        card.encoding = .asIs
        if card.isUTF8(card.text.indices) { return card }
        return (try? VCard(Array(String(decoding: card.text, as: UTF8.self).utf8))) ?? card
    }

    /// Writes in UTF-8 what is in another charset, and names it where bytes are no UTF-8, so that every property goes on
    /// to say what it says, whatever else is in the card. The card has END.
    mutating func recode() {
        let foreign = places.indices.filter { !isUTF8(places[$0].range) || isAmbiguous($0) }
        perform(foreign.map(patch(recoding:))[...])
    }

    private func isUTF8(_ range: Range<Int>) -> Bool { String(validating: text[range], as: UTF8.self) != nil }

    /// Whether the property at `index` would say something else, or be evidence against it, if the card were taken for
    /// UTF-8.
    private func isAmbiguous(_ index: Int) -> Bool {
        let property = properties[index]
        guard charset != .utf8 else {
            return property.isQuotedPrintable && UTF8Evidence(property.undeclaredValue).flaws > 0
        }
        let isHighQuotedPrintable = property.isQuotedPrintable && property.undeclaredValue.isBeyondASCII
        guard encoding == .asIs else { return isHighQuotedPrintable }
        return property.undeclaredValue.isBeyondASCII || property.headerBytes.isBeyondASCII
    }

    /// The property at `index` in UTF-8. A value with an encoding of its own stays as it is, and names its charset; a
    /// card within the card, which may have several, stays as it is.
    private func patch(recoding index: Int) -> Patch {
        let (property, place) = (properties[index], places[index])
        let isEncoded = !place.manner.isDisjoint(with: [.quotedPrintable, .base64, .nested])
        var parameters = property.parameters
        let value = Charset.utf8(property.rawValue, named: property.charset, else: property.headerCharset)
        if !isEncoded {
            // Version 2.1 knows no UTF-8 but where it is named. What is no UTF-8 for all that it is named stays so.
            let isNamed = version == .v2_1 || String(validating: value, as: UTF8.self) == nil
            parameters["CHARSET"] = isNamed ? ["UTF-8"] : []
        } else if isAmbiguous(index), property.undeclaredValue.isBeyondASCII {
            parameters["CHARSET"] = [charset == .utf8 ? "UTF-8" : "WINDOWS-1252"]
        }
        let written = property.header(with: parameters, group: nil).bytes
        var header = Charset.utf8(written[...], named: nil, else: property.headerCharset)
        // No parameter can name the charset of a header: what it says is U+FFFD where bytes mean nothing.
        if encoding == .asIs { header = ArraySlice(String(decoding: header, as: UTF8.self).utf8) }
        if isEncoded {
            return Patch(index: index, range: place.range, lines: Array(header + text[place.colon..<place.end]))
        }
        return Patch(
            index: index, range: place.range, lines: manner.folded(header + [.colon] + value) + manner.lineEnd)
    }
}

extension Collection<UInt8> {
    fileprivate var isBeyondASCII: Bool { contains { $0 >= 0x80 } }
}
