extension VCard {
    /// The parameters of a property: `TYPE=work;PREF=1`.
    ///
    /// Names are in capitals. Values that version 2.1 writes without a name (`TEL;CELL:`) belong to TYPE, ENCODING or
    /// VALUE. A repeated name appears once, with all its values.
    public struct Parameters: Hashable, Sendable {
        /// One parameter.
        public struct Parameter: Sendable {
            /// In capitals.
            public let name: String
            /// The name as written.
            let spelling: String
            /// The values without quotes and escapes, in their written case.
            public var values: [String]
        }

        private var parameters: [Parameter] = []

        /// No parameters.
        public init() {}

        /// The values of the parameter `name`, which is in capitals. An empty array removes it.
        public subscript(name: String) -> [String] {
            get { parameters.first { $0.name == name }?.values ?? [] }
            set {
                if let index = parameters.firstIndex(where: { $0.name == name }) {
                    if newValue.isEmpty { parameters.remove(at: index) } else { parameters[index].values = newValue }
                } else if !newValue.isEmpty {
                    parameters.append(Parameter(name: name, spelling: name, values: newValue))
                }
            }
        }

        /// Adds a parameter at the end, or its values to the parameter of the same name.
        mutating func append(_ parameter: Parameter) { add(parameter.name, parameter.spelling, parameter.values) }

        private mutating func add(_ name: String, _ spelling: String, _ values: [String]) {
            if let index = parameters.firstIndex(where: { $0.name == name }) {
                let left = Limits.parameters - parameters[index].values.count
                if left > 0 { parameters[index].values += values.prefix(left) }
            } else if parameters.count < Limits.parameters {
                parameters.append(Parameter(name: name, spelling: spelling, values: values))
            }
        }
    }
}

extension VCard.Parameters.Parameter: Hashable {
    /// Whether both have the same name, regardless of its spelling, and the same values.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.values == right.values }

    /// Hashes the name and the values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(values)
    }
}

extension VCard.Parameters: RandomAccessCollection {
    /// The place of the first parameter.
    public var startIndex: Int { 0 }
    /// The place after the last parameter.
    public var endIndex: Int { parameters.count }
    /// The parameter at a place, in the order of the card.
    public subscript(position: Int) -> Parameter { parameters[position] }
}

extension VCard.Parameters: ExpressibleByDictionaryLiteral {
    /// These parameters, in this order.
    public init(dictionaryLiteral elements: (String, [String])...) {
        for (name, values) in elements { add(name, name, values) }
    }
}

// MARK: - Reading

extension VCard.Parameters {
    /// Parses the parameters in `range`, which begins with a semicolon and ends before the colon.
    init(
        in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, version: VCard.Version, charset: CardCharset
    ) {
        Self.forEach(in: bytes, range) { nameRange, valueRange in
            let value = UnsafeBufferPointer(rebasing: bytes[valueRange])
            let name = Self.name(nameRange.map { bytes[$0] }, of: value, charset)
            guard let nameRange else { return add(name, name, [Charset.text(value, charset)]) }
            let written = bytes[nameRange]
            // Most names are in capitals and need no string of their own.
            let spelling = name.utf8.elementsEqual(written) ? name : String(decoding: written, as: UTF8.self)
            add(name, spelling, Self.values(of: value, partedInQuotes: name == "TYPE", version, charset))
        }
    }

    /// Calls `body` with the written name and value of each parameter. The name is nil for a value alone.
    static func forEach(
        in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ body: (Range<Int>?, Range<Int>) -> Void
    ) {
        // Unclosed quotes are ordinary characters.
        let knowsQuotes = bytes[range].count { $0 == .quote }.isMultiple(of: 2)
        var index = range.lowerBound
        while index < range.upperBound {
            let start = index + 1
            var sign: Int?
            var isQuoted = false
            index = start
            while index < range.upperBound {
                let byte = bytes[index]
                if byte == .quote, knowsQuotes { isQuoted.toggle() }
                if byte == .semicolon, !isQuoted { break }
                if byte == .equals, sign == nil { sign = index }
                index += 1
            }
            let value = bytes.trimmingBlanks(around: (sign.map { $0 + 1 } ?? start)..<index)
            let name = sign.map { bytes.trimmingBlanks(around: start..<$0) }
            if name != nil || !value.isEmpty { body(name, value) }
        }
    }

    /// The name of a parameter in capitals; for a value alone, the name that version 2.1 implies.
    static func name(
        _ written: Slice<UnsafeBufferPointer<UInt8>>?, of value: UnsafeBufferPointer<UInt8>, _ charset: CardCharset
    ) -> String {
        if let written { return String(capitals: UnsafeBufferPointer(rebasing: written), charset) }
        if value.spells("QUOTED-PRINTABLE") || value.spells("BASE64") || value.spells("B") || value.spells("8BIT")
            || value.spells("7BIT")
        {
            return "ENCODING"
        }
        if value.spells("INLINE") || value.spells("URL") || value.spells("CID") || value.spells("CONTENT-ID") {
            return "VALUE"
        }
        return "TYPE"
    }

    /// The comma-separated values, without quotes and the caret escapes of RFC 6868.
    static func values(
        of bytes: UnsafeBufferPointer<UInt8>, partedInQuotes: Bool, _ version: VCard.Version, _ charset: CardCharset
    ) -> [String] {
        guard bytes.contains(where: { $0 == .comma || $0 == .quote || $0 == .caret }) else {
            return [Charset.text(bytes, charset)]
        }
        let knowsQuotes = bytes.count { $0 == .quote }.isMultiple(of: 2)
        var values: [String] = []
        var value: [UInt8] = []
        var isQuoted = false
        var index = 0
        while index < bytes.count, values.count < VCard.Limits.parameters {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            index += 1
            switch byte {
            case .quote where knowsQuotes: isQuoted.toggle()
            case .comma where !isQuoted || partedInQuotes:
                values.append(Charset.text(value, charset))
                value.removeAll(keepingCapacity: true)
            case .caret where version != .v2_1 && Self.afterCaret(next) != nil:
                value.append(Self.afterCaret(next) ?? next)
                index += 1
            default: value.append(byte)
            }
        }
        return index < bytes.count ? values : values + [Charset.text(value, charset)]
    }

    private static func afterCaret(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "n"): .lineFeed
        case .caret: .caret
        case .apostrophe: .quote
        default: nil
        }
    }
}
