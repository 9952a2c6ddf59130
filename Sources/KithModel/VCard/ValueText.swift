/// The texts in a value: parted where the value is, and without its escapes.
struct ValueText {
    /// In UTF-8, with folds and encodings undone.
    let bytes: ArraySlice<UInt8>
    /// Whether `\n` is a line break. In quoted-printable it is not: that has its own.
    let hasLineBreaks: Bool

    /// All of it as one text.
    var whole: String { text(bytes) }

    /// What `separator` parts.
    func parts(at separator: UInt8) -> [String] { slices(of: bytes, at: separator).map(text) }

    /// What semicolons part, and what commas part in each.
    func components(partedByCommas: Bool) -> [[String]] {
        slices(of: bytes, at: .semicolon).map { partedByCommas ? slices(of: $0, at: .comma).map(text) : [text($0)] }
    }

    private func slices(of bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
        var slices: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        var index = start
        while index < bytes.endIndex {
            if bytes[index] == separator {
                slices.append(bytes[start..<index])
                start = index + 1
            } else if bytes[index] == .backslash {
                index += 1
            }
            index += 1
        }
        return slices + [bytes[start...]]
    }

    /// The bytes without escapes. CR LF, CR and the vertical tab that Outlook writes become line breaks;
    /// other control characters are left out.
    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        let isPlain = bytes.allSatisfy { $0 >= 0x20 && $0 != .backslash && $0 != 0x7F }
        if isPlain { return String(decoding: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            let next = index + 1 < bytes.endIndex ? bytes[index + 1] : 0
            index += 1
            switch byte {
            case .backslash where hasLineBreaks && next.capital == UInt8(ascii: "N"):
                text.append(.lineFeed)
                index += 1
            case .backslash where Self.escaped.contains(next):
                text.append(next)
                index += 1
            case .carriageReturn where next == .lineFeed: break
            case .carriageReturn, 0x0B: text.append(.lineFeed)
            case .lineFeed, .tab: text.append(byte)
            case 0..<0x20, 0x7F: break
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// What loses its backslash: Google escapes colons and quotes too.
    private static let escaped: [UInt8] = [.backslash, .comma, .semicolon, .colon, .quote]
}
