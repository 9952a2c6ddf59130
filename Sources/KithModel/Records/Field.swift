import TextEncodings

/// One field of a record with its rules. Device and server use the same rules.
package struct Field: Hashable, Sendable {
    /// The values that a field may hold.
    package enum Kind: Hashable, Sendable {
        /// Text with a number of Unicode scalars in this range, without NUL and without a long run of combining marks.
        case text(ClosedRange<Int>)
        /// True or false.
        case flag
        /// A number that can be set and added to. The stored sum is not limited, so that the order of additions does
        /// not matter; it is limited to the range when it is shown.
        case sum(ClosedRange<Int64>)
        /// One of a few words.
        case choice([String])
        /// A position in an order: see ``IndexKey``.
        case indexKey
        /// A UUID, in lower case.
        case identifier
        /// A time, in milliseconds since 1970.
        case time
        /// The SHA-256 hash of data that is stored elsewhere, as 64 hexadecimal digits in lower case.
        case digest
        /// An array of objects, at most this many. Their texts have these names and maximum lengths, and the first text
        /// is not empty.
        case entries([Text], upTo: Int)
    }

    /// A text in an entry of ``Kind/entries(_:upTo:)``.
    package struct Text: Hashable, Sendable {
        /// Its key in the entry.
        package let name: String
        /// The maximum number of Unicode scalars in the text.
        package let longest: Int

        package init(_ name: String, _ longest: Int) {
            self.name = name
            self.longest = longest
        }
    }

    /// Who may write a field, or create or remove a record.
    package enum Writer: Hashable, Sendable {
        /// Only the server itself.
        case server
        /// The owner of the feed.
        case owner
        /// An editor or the owner.
        case editor
        /// The person that a ``Member`` record is about.
        case person
    }

    /// The field's key in a record.
    package let name: String
    /// The values that the field may hold.
    package let kind: Kind
    /// Who may write the field.
    package let writer: Writer
    /// Whether a new record must have this field.
    package let isRequired: Bool
    /// The value of a field that was never set.
    package let standard: FieldValue

    package init(
        _ name: String, _ kind: Kind, writer: Writer = .editor, isRequired: Bool = false, standard: FieldValue = .null
    ) {
        self.name = name
        self.kind = kind
        self.writer = writer
        self.isRequired = isRequired
        self.standard = standard
    }

    /// The reason why `value` is not allowed in this field, as a sentence; nil if it is.
    package func fault(in value: FieldValue) -> String? {
        if value == .null { return isRequired ? "“\(name)” cannot be removed." : nil }
        switch (kind, value) {
        case (.text(let range), .text(let text)):
            if text.utf8.contains(0) { return "“\(name)” contains a NUL character." }
            if text.unicodeScalars.prefix(range.lowerBound).count < range.lowerBound || (isRequired && text.isBlank) {
                return "“\(name)” is empty."
            }
            if let length = text.length(above: range.upperBound) {
                return "“\(name)” has \(length) characters; at most \(range.upperBound) fit."
            }
            return StreamSafeText.accepts(text) ? nil : "“\(name)” has \(StreamSafeText.excess)."
        case (.flag, .flag): return nil
        case (.sum(let range), .integer(let integer)):
            return range.contains(integer)
                ? nil : "“\(name)” is \(integer); it goes from \(range.lowerBound) to \(range.upperBound)."
        case (.choice(let words), .text(let text)):
            return words.contains(text)
                ? nil : "“\(name)” is “\(text.prefix(40))”; it is one of \(words.joined(separator: ", "))."
        case (.indexKey, .text(let text)):
            return IndexKey(text) == nil ? "“\(name)” is not an index key of at most \(Limits.indexKey) bytes." : nil
        case (.identifier, .text(let text)):
            return RecordID<Never>(text)?.description == text ? nil : "“\(name)” is not a UUID in lower case."
        case (.time, .integer(let time)):
            return time >= 0 ? nil : "“\(name)” lies before 1970."
        case (.digest, .text(let text)):
            let isDigest = text.utf8.count == 64 && text.utf8.allSatisfy { Self.hexDigits.contains($0) }
            return isDigest ? nil : "“\(name)” is not a SHA-256 in hexadecimal digits."
        case (.entries(let texts, let most), .array(let entries)):
            if entries.count > most { return "“\(name)” has \(entries.count) entries; at most \(most) fit." }
            return entries.lazy.compactMap { fault(inEntry: $0, of: texts) }.first
        default: return "“\(name)” has a value of the wrong type."
        }
    }

    private static let hexDigits = Set("0123456789abcdef".utf8)

    private func fault(inEntry entry: FieldValue, of texts: [Text]) -> String? {
        guard case .object(let object) = entry else { return "“\(name)” has an entry that is no object." }
        for (key, value) in object.sorted(by: { $0.key < $1.key }) {
            guard let rule = texts.first(where: { $0.name == key }) else {
                return "“\(name)” has an entry with “\(key.prefix(40))”, which is unknown."
            }
            guard case .text(let text) = value else { return "“\(name)” has an entry whose “\(key)” is no text." }
            if text.utf8.contains(0) {
                return "“\(name)” has an entry whose “\(key)” contains a NUL character."
            }
            if let length = text.length(above: rule.longest) {
                return "“\(name)” has an entry whose “\(key)” has \(length) characters; at most \(rule.longest) fit."
            }
            if !StreamSafeText.accepts(text) {
                return "“\(name)” has an entry whose “\(key)” has \(StreamSafeText.excess)."
            }
        }
        guard let first = texts.first, case .text(let text) = object[first.name] ?? .null,
            !text.isBlank
        else { return "“\(name)” has an entry without “\(texts.first?.name ?? "")”." }
        return nil
    }

    /// The value as it is shown: the default if there is none, and a sum limited to its range.
    package func shown(_ value: FieldValue?) -> FieldValue {
        guard let value, value != .null else { return standard }
        if case .sum(let range) = kind, case .integer(let sum) = value {
            return .integer(min(max(sum, range.lowerBound), range.upperBound))
        }
        return value
    }
}

extension String {
    /// Whether the text has only white space (Unicode's property White_Space). The test uses code points instead of
    /// characters, as `openapi.json` does.
    fileprivate var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}

extension String {
    /// The number of Unicode scalars if it is greater than `limit`. A text never has more scalars than bytes, so they are
    /// counted only if it has more than `limit` bytes.
    fileprivate func length(above limit: Int) -> Int? {
        guard utf8.count > limit else { return nil }
        let length = unicodeScalars.count
        return length > limit ? length : nil
    }
}
