import TextEncodings

/// The way in which a card writes its lines.
struct LineStyle {
    let version: VCard.Version
    let lineEnd: [UInt8]

    /// The maximum length of a line in bytes, without its end (RFC 6350, section 3.2).
    private static let width = 75

    /// The lines of a property: the header, a colon and the value.
    func lines(header: [UInt8], value: VCard.Value.Written) -> [UInt8] {
        switch value {
        case .plain(let bytes): folded(header + [.colon] + bytes) + lineEnd
        case .quotedPrintable(let bytes): softlyBroken(header + [.colon], bytes) + lineEnd
        case .base64(let bytes, _) where version == .v2_1: header + [.colon] + lineEnd + indented(bytes) + lineEnd
        case .base64(let bytes, _): folded(header + [.colon] + bytes) + lineEnd
        case .nested(let bytes): header + [.colon] + lineEnd + bytes
        }
    }

    /// The line, folded if it is too long, but never inside a character.
    ///
    /// Version 2.1 permits folds only at blanks, and some of its readers do not unfold at all.
    func folded(_ line: [UInt8]) -> [UInt8] {
        guard version != .v2_1, line.count > Self.width else { return line }
        var folded: [UInt8] = []
        folded.reserveCapacity(line.count + line.count / 25)
        var start = 0
        while line.count - start > Self.width - (start > 0 ? 1 : 0) {
            var end = start + Self.width - (start > 0 ? 1 : 0)
            let most = end
            while end > most - 3, line[end] & 0xC0 == 0x80 { end -= 1 }
            // A CR before the fold would become a part of the line end. If all bytes are CRs, the line is longer.
            while end > start + 1, line[end - 1] == .carriageReturn { end -= 1 }
            if line[end - 1] == .carriageReturn {
                while end < line.count, line[end] == .carriageReturn { end += 1 }
                repeat { end += 1 } while end < line.count && line[end] & 0xC0 == 0x80
                guard end < line.count else { break }
            }
            folded += line[start..<end] + lineEnd + [.space]
            start = end
        }
        return folded + line[start...]
    }

    /// `start`, and `bytes` in quoted-printable, with soft breaks (RFC 2045, section 6.7).
    private func softlyBroken(_ start: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        let codes = HexCodes.quotedPrintable
        let lineBreak = codes.code(of: .carriageReturn) + codes.code(of: .lineFeed)
        var text = start
        var width = start.count
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            var code = byte == .lineFeed ? lineBreak : []
            if width + max(code.count, 3) > Self.width, width > 0 {
                text += [.equals] + lineEnd
                width = 0
            }
            // A leading blank could be taken for a fold, and a trailing blank can be lost in transport.
            let isAtEdge = width == 0 || index == 0 || isLast || width > Self.width - 4
            // A line of the text must not begin or end the card.
            let couldMark = width == 0 && (byte.capital == UInt8(ascii: "B") || byte.capital == UInt8(ascii: "E"))
            let isLetter = 0x21...0x7E ~= byte && byte != .equals && !couldMark || byte == .space && !isAtEdge
            if code.isEmpty { code = isLetter ? [byte] : codes.code(of: byte) }
            text += code
            width += code.count
        }
        return text
    }

    /// Base64 in version 2.1: lines that begin with a blank, and an empty line after them.
    private func indented(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: Self.width - 3) {
            text += [.space] + bytes[start..<min(start + Self.width - 3, bytes.count)] + lineEnd
        }
        return text
    }
}
