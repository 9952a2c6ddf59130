import Foundation

extension VCard {
    /// The value of a property to write.
    ///
    /// Line breaks in texts are `\n`. Other control characters except the tab are removed, because no reader accepts
    /// them.
    public enum Value: Hashable, Sendable {
        /// One text.
        case text(String)
        /// Texts separated by commas.
        case list([String])
        /// The components of a structured value, and the values of each.
        ///
        /// Version 2.1 has one value per component; several are joined by commas.
        case components([[String]])
        /// A URI, a date or a number: text without escapes and line breaks.
        case plain(String)
        /// Embedded data, and its media type: `image/jpeg`.
        case data([UInt8], mediaType: String)
        /// A nested card. An AGENT of version 2.1 contains its lines, any other property its text.
        case card(VCard)
    }
}

extension VCard.Value {
    /// A value as written, before folding.
    enum Written: Equatable {
        case plain([UInt8])
        /// ASCII without line breaks that needs quoted-printable in version 2.1.
        case quotedPrintable([UInt8])
        /// Base64 with a parameter that declares it, and the media type's word: `JPEG`.
        case base64([UInt8], type: String)
        /// The lines of a card, each with its end.
        case nested([UInt8])
    }

    /// The value as `version` writes it.
    func written(_ version: VCard.Version) -> Written {
        let isOld = version == .v2_1
        let bytes: [UInt8]
        switch self {
        case .text(let text):
            bytes = Self.escaped(text, isOld ? [.backslash] : [.backslash, .comma, .semicolon], isOld)
        case .list(let texts):
            let signs: [UInt8] = isOld ? [.backslash, .comma] : [.backslash, .comma, .semicolon]
            bytes = Array(texts.map { Self.escaped($0, signs, isOld) }.joined(separator: [.comma]))
        case .components(let components):
            let signs: [UInt8] = isOld ? [.backslash, .semicolon] : [.backslash, .comma, .semicolon]
            let parts = components.map { $0.map { Self.escaped($0, signs, isOld) }.joined(separator: [.comma]) }
            bytes = Array(parts.joined(separator: [.semicolon]))
        case .plain(let text): bytes = Self.cleaned(text).filter { $0 != .lineFeed }
        case .card(let card):
            let text = String(decoding: Array(card.plainLines.joined(separator: [.lineFeed])), as: UTF8.self)
            return VCard.Value.text(text).written(version)
        case .data(let data, let mediaType):
            let base64 = Array(Data(data).base64EncodedString().utf8)
            let type = mediaType.utf8.filter { $0 > 0x20 && $0 < 0x7F && $0 != .comma && $0 != .semicolon }
            if version == .v4_0 { return .plain("data:".utf8 + type + ";base64,".utf8 + base64) }
            let kind = type.split(separator: UInt8(ascii: "/")).last ?? []
            let name = String(decoding: type, as: UTF8.self).lowercased()
            // A media type for arbitrary data needs no word.
            if name == "application/octet-stream" { return .base64(base64, type: "") }
            let word = MediaType.word(for: name)
            return .base64(base64, type: word ?? String(decoding: kind, as: UTF8.self).uppercased())
        }
        let isPlain = bytes.allSatisfy { $0 < 0x80 && $0 != .lineFeed }
        return isOld && !isPlain ? .quotedPrintable(bytes) : .plain(bytes)
    }

    /// `text` with a backslash before each of `signs`, and with `\n` for line breaks unless `keepsLineBreaks`.
    private static func escaped(_ text: String, _ signs: [UInt8], _ keepsLineBreaks: Bool) -> [UInt8] {
        var escaped: [UInt8] = []
        for byte in cleaned(text) {
            if byte == .lineFeed, !keepsLineBreaks {
                escaped += [.backslash, UInt8(ascii: "n")]
            } else if signs.contains(byte) {
                escaped += [.backslash, byte]
            } else {
                escaped.append(byte)
            }
        }
        return escaped
    }

    /// `text` in UTF-8, with LF for each line break and without other control characters.
    private static func cleaned(_ text: String) -> [UInt8] {
        var cleaned: [UInt8] = []
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case .lineFeed where previous == .carriageReturn: break
            case .carriageReturn, 0x0B: cleaned.append(.lineFeed)
            case .lineFeed, .tab: cleaned.append(byte)
            case 0..<0x20, 0x7F: break
            default: cleaned.append(byte)
            }
            previous = byte
        }
        return cleaned
    }
}
