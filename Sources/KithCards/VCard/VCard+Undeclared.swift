extension VCard {
    /// What the text looks like for which the card names no charset that is known.
    ///
    /// Base64 is judged by itself, and what embeds a card is judged in that.
    package var undeclaredText: UTF8Evidence {
        // In UTF-16 only quoted-printable has bytes of which the charset is not known.
        let isKnown = encoding != .asIs || text.withUnsafeBufferPointer(\.isASCII)
        let unusual: PropertyPlace.Manner = [
            .foldedHeader, .foldedValue, .quotedPrintable, .base64, .charset, .nested,
        ]
        var evidence = UTF8Evidence()
        for (index, place) in places.enumerated() where !isKnown || place.manner.contains(.quotedPrintable) {
            if place.manner.isDisjoint(with: unusual) {
                evidence.take(text[place.start..<place.valueEnd])
            } else {
                let property = properties[index]
                if !isKnown { evidence.take(property.headerBytes) }
                evidence.take(property.undeclaredValue)
            }
        }
        return evidence
    }
}

extension VCard.Property {
    /// The bytes of the value for which neither the property nor base64 names a charset that is known.
    var undeclaredValue: ArraySlice<UInt8> {
        guard !isBase64, !isNested, !namesKnownCharset else { return [] }
        return isQuotedPrintable ? HexCodes.decoded(rawValue, sign: .equals)[...] : rawValue
    }

    private var namesKnownCharset: Bool {
        guard let charset else { return false }
        return !isInForeignCharset || Charset.isKnown(charset)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether all are ASCII.
    var isASCII: Bool {
        var bits: UInt8 = 0
        // Without branches, so that many bytes are looked at at once.
        for byte in self { bits |= byte }
        return bits < 0x80
    }
}
