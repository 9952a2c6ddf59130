/// The part of a property before its value: group, name and parameters.
struct Header {
    private(set) var bytes: [UInt8]
    /// Whether a parameter is in UTF-8 because the card's charset cannot encode it.
    private(set) var isForeign = false
    private let version: VCard.Version
    private let charset: CardCharset

    /// A new header.
    init(group: String?, name: String, version: VCard.Version, charset: CardCharset) {
        let group = group.map(Self.group) ?? []
        // Readers accept more characters in a name than the standards: `X-messaging/xmpp-All`.
        let name = name.utf8.filter(\.isTakenInName)
        bytes = group + (name.isEmpty || Self.isCardsOwn(name) ? "X-".utf8 + name : name)
        (self.version, self.charset) = (version, charset)
    }

    /// Whether the name is BEGIN or END.
    static func isCardsOwn(_ name: some Collection<UInt8>) -> Bool {
        ["BEGIN", "END"].contains(String(decoding: name, as: UTF8.self).uppercased())
    }

    /// The header of an existing property, without the parameters that change.
    init(written: some Sequence<UInt8>, version: VCard.Version, charset: CardCharset) {
        bytes = Array(written)
        (self.version, self.charset) = (version, charset)
    }

    /// `END;X=1:VCARD` is a property. Without its parameter it would end the card.
    mutating func keepApart() {
        if Self.isCardsOwn(bytes) { bytes = "X-".utf8 + bytes }
    }

    /// A group with its dot, without the characters not allowed in a name; empty if nothing else remains.
    static func group(_ name: String) -> [UInt8] {
        let letters = nameBytes(name)
        return letters.isEmpty ? [] : letters + [.dot]
    }

    /// Adds bytes of another header unchanged.
    mutating func add(written: some Sequence<UInt8>) { bytes += [.semicolon] + written }

    /// Adds a parameter.
    mutating func add(_ parameter: VCard.Parameters.Parameter) {
        let values = parameter.values.map(value).map { text in
            guard let value = charset.encoded(text) else {
                isForeign = true
                return text
            }
            return value
        }
        let name = Self.name(of: parameter)
        guard version == .v2_1 else {
            return add(written: name + [.equals] + Array(values.joined(separator: [.comma])))
        }
        // Version 2.1 has no lists. It writes a type without a parameter name, unless this would be ambiguous.
        for value in values { add(written: isBareType(name, value) ? value : name + [.equals] + value) }
    }

    private func isBareType(_ name: [UInt8], _ value: [UInt8]) -> Bool {
        name.map(\.capital).elementsEqual("TYPE".utf8) && !value.isEmpty && value.allSatisfy(\.isNameLetter)
            && value.withUnsafeBufferPointer { VCard.Parameters.name(nil, of: $0, .utf8) == "TYPE" }
    }

    /// A parameter value: in quotes if necessary, and with the caret escapes of RFC 6868.
    private func value(_ text: String) -> [UInt8] {
        var value: [UInt8] = []
        var needsQuotes = false
        for byte in text.utf8 {
            switch byte {
            case .quote: value += version == .v2_1 ? [.apostrophe] : [.caret, .apostrophe]
            case .caret: value += version == .v2_1 ? [.caret] : [.caret, .caret]
            case .lineFeed: value += version == .v2_1 ? [.space] : [.caret, UInt8(ascii: "n")]
            case 0..<0x20 where byte != .tab, 0x7F: break
            default: value.append(byte)
            }
            needsQuotes = needsQuotes || [.colon, .semicolon, .comma, .equals, .space, .tab].contains(byte)
        }
        return needsQuotes ? [.quote] + value + [.quote] : value
    }

    /// A parameter name. Without its invalid characters it could become another name, such as CHARSET.
    private static func name(of parameter: VCard.Parameters.Parameter) -> [UInt8] {
        let name = nameBytes(parameter.spelling)
        let isOther = name.count != parameter.spelling.utf8.count && !name.map(\.capital).starts(with: "X-".utf8)
        return isOther ? "X-".utf8 + name : name
    }

    /// The characters that a name may contain. Others are removed, so that they cannot end the name.
    private static func nameBytes(_ name: String) -> [UInt8] { name.utf8.filter(\.isNameLetter) }
}

extension UInt8 {
    /// Whether readers accept it in a property name: each ASCII character that is no delimiter of the line.
    fileprivate var isTakenInName: Bool {
        switch self {
        case .quote, .equals, .comma, .semicolon, .colon, .dot, .backslash: false
        default: 0x21...0x7E ~= self
        }
    }

    /// Whether a name may have it (RFC 6350, section 3.3; underscores occur too).
    fileprivate var isNameLetter: Bool {
        isLetterOrDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }
}
