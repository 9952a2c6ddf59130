extension VCard {
    /// The card in UTF-8. What is so already stays byte for byte; other properties are written anew.
    ///
    /// Nil if something in it cannot be written so: half a character of UTF-16, a nested card in another charset.
    package var inUTF8: VCard? {
        guard encoding == .asIs || isUTF8(text.indices) else { return nil }
        var card = inBytes
        let foreign = card.places.indices.filter { !card.isUTF8(card.places[$0].range) }
        card.perform(foreign.compactMap(card.patch(recoding:))[...])
        return card.isUTF8(card.text.indices) ? card : nil
    }

    /// The card as it can stand beside others in one file: UTF-16 becomes UTF-8, in which half a character is U+FFFD.
    /// Every other card stays as it is.
    package var inBytes: VCard {
        guard encoding != .asIs else { return self }
        var card = self
        // What names another charset is in UTF-16 as all the others are.
        card.perform(places.indices.filter { places[$0].manner.contains(.charset) }.compactMap(patch(recoding:))[...])
        card.encoding = .asIs
        if card.isUTF8(card.text.indices) { return card }
        return (try? VCard(Array(String(decoding: card.text, as: UTF8.self).utf8))) ?? card
    }

    private func isUTF8(_ range: Range<Int>) -> Bool { String(validating: text[range], as: UTF8.self) != nil }

    /// The property at `index` in UTF-8; nil if it is written in characters of its own.
    private func patch(recoding index: Int) -> Patch? {
        let (property, place) = (properties[index], places[index])
        guard place.manner.isDisjoint(with: [.quotedPrintable, .base64, .nested]) else { return nil }
        let value = Charset.utf8(property.rawValue, named: property.charset)
        var parameters = property.parameters
        // Version 2.1 knows no UTF-8 but where it is named.
        parameters["CHARSET"] = version == .v2_1 ? ["UTF-8"] : []
        let line = property.header(with: parameters, group: nil) + [.colon] + value
        return Patch(index: index, range: place.range, lines: manner.folded(line) + manner.lineEnd)
    }
}
