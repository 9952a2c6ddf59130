extension VCard.Property {
    /// What stands in the card itself: a photo, a sound, a key.
    public struct Embedded: Hashable, Sendable {
        /// As in RFC 2046, if a `data:` URI names it: `image/jpeg`. Versions 2.1 and 3.0 name it in TYPE.
        public var mediaType: String?
        /// Decoded.
        public var bytes: [UInt8]
    }

    /// Whether it has base64 or a `data:` URI in place of a text or a link. Decodes nothing.
    public var isEmbedded: Bool { isBase64 && !isTextInBase64 || startsWithData }

    /// The bytes of what is embedded, in the manner of any version; nil if nothing is. Those of a text in base64 are it too.
    public var data: [UInt8]? { embedded?.bytes }

    /// What is embedded; nil if nothing is, or if it is not sound.
    public var embedded: Embedded? {
        if startsWithData {
            let uri = DataURI(rawValue)
            return uri?.bytes.map { Embedded(mediaType: uri?.mediaType, bytes: $0) }
        }
        return isBase64 ? Base64.decoded(rawValue).map { Embedded(bytes: $0) } : nil
    }

    private var startsWithData: Bool { DataURI.begins(rawStart) }
}

extension VCard.Property {
    /// The card within this one, of which the value is the bytes (2.1) or the text (3.0); nil if it is none.
    public var card: VCard? {
        let bytes = isNested ? Array(rawValue) : Array(text.utf8)
        return try? VCard(bytes)
    }
}
