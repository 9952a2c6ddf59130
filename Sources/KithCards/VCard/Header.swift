/// What stands before a property's value: its group, its name, and its parameters.
struct Header {
    private(set) var bytes: [UInt8]
    /// Whether a parameter could not be written in the card's charset, and is in UTF-8.
    private(set) var isForeign = false
    private let version: VCard.Version
    private let charset: CardCharset

    /// A header as this program writes it.
    init(group: String?, name: String, version: VCard.Version, charset: CardCharset) {
        let group = group.map(Self.group) ?? []
        // Readers take more signs for a name than the standards: `X-messaging/xmpp-All`.
        let name = name.utf8.filter(\.isTakenInName)
        bytes = group + (name.isEmpty || Self.isCardsOwn(name) ? "X-".utf8 + name : name)
        (self.version, self.charset) = (version, charset)
    }

    /// Whether a name is one of the two that begin and end a card.
    static func isCardsOwn(_ name: some Collection<UInt8>) -> Bool {
        ["BEGIN", "END"].contains(String(decoding: name, as: UTF8.self).uppercased())
    }

    /// A header that stands in a card, without parameters that change.
    init(written: some Sequence<UInt8>, version: VCard.Version, charset: CardCharset) {
        bytes = Array(written)
        (self.version, self.charset) = (version, charset)
    }

    /// `END;X=1:VCARD` is a property. Without its parameter it would end the card.
    mutating func keepApart() {
        if Self.isCardsOwn(bytes) { bytes = "X-".utf8 + bytes }
    }

    /// A group with its dot, without the characters not allowed in a name; nothing if there is nothing else in it.
    static func group(_ name: String) -> [UInt8] {
        let letters = nameBytes(name)
        return letters.isEmpty ? [] : letters + [.dot]
    }

    /// Adds what another header has, as it is written there.
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
        // Version 2.1 knows no lists. It writes a type without its name, where no other meaning is in the way.
        for value in values { add(written: isBareType(name, value) ? value : name + [.equals] + value) }
    }

    private func isBareType(_ name: [UInt8], _ value: [UInt8]) -> Bool {
        name.map(\.capital).elementsEqual("TYPE".utf8) && !value.isEmpty && value.allSatisfy(\.isNameLetter)
            && value.withUnsafeBufferPointer { VCard.Parameters.name(nil, of: $0, .utf8) == "TYPE" }
    }

    /// A value of a parameter: in quotes where it needs these, and with RFC 6868's carets.
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

    /// A parameter's name. Without letters that no name may have it could be another one, such as CHARSET.
    private static func name(of parameter: VCard.Parameters.Parameter) -> [UInt8] {
        let name = nameBytes(parameter.spelling)
        let isOther = name.count != parameter.spelling.utf8.count && !name.map(\.capital).starts(with: "X-".utf8)
        return isOther ? "X-".utf8 + name : name
    }

    /// The letters that a name may have; others are left out, so that a name never ends before its end.
    private static func nameBytes(_ name: String) -> [UInt8] { name.utf8.filter(\.isNameLetter) }
}

extension UInt8 {
    /// Whether readers take it for a part of a property's name: every sign of ASCII that ends no part of a line.
    fileprivate var isTakenInName: Bool {
        switch self {
        case .quote, .equals, .comma, .semicolon, .colon, .dot, .backslash: false
        default: 0x21...0x7E ~= self
        }
    }

    /// Whether a name may have it (RFC 6350, section 3.3; underscores occur too).
    fileprivate var isNameLetter: Bool {
        0x30...0x39 ~= self || 0x41...0x5A ~= capital || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }
}
