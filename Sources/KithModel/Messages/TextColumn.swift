/// The texts of one field in a page, one after the other in one buffer.
///
/// A page has up to 10,000 records, and a device passes most of their texts on to its database. A `String` for each would
/// take longer than storing it.
package struct TextColumn: Hashable, Sendable {
    /// The texts in UTF-8.
    private var bytes: [UInt8] = []
    /// Where the text of each record ends in ``bytes``.
    private var ends: [Int] = []
    /// Whether each record has no text.
    private var nulls: [Bool] = []

    package init() {}

    /// A column of `texts`; nil means that the record has none.
    package init(_ texts: [String?]) {
        for text in texts {
            if let text { append { $0.append(contentsOf: text.utf8) } } else { fill(to: count + 1) }
        }
    }

    /// The number of records.
    package var count: Int { ends.count }

    /// All texts.
    package var texts: [String?] { (0..<count).map { self[$0] } }

    /// Appends the text that `write` appends to the buffer, which must be UTF-8.
    mutating func append(_ write: (inout [UInt8]) throws -> Void) rethrows {
        try write(&bytes)
        ends.append(bytes.count)
        nulls.append(false)
    }

    /// Appends records without a text until there are `count`.
    mutating func fill(to count: Int) {
        while ends.count < count {
            ends.append(bytes.count)
            nulls.append(true)
        }
    }

    /// The text at `index`; nil if the record has none.
    package subscript(index: Int) -> String? { withUTF8(at: index) { String(decoding: $0, as: UTF8.self) } }

    /// Passes the text at `index` to `body`, in UTF-8. Returns nil if the record has none.
    package func withUTF8<Result>(
        at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        if nulls[index] { return nil }
        let start = index == 0 ? 0 : ends[index - 1]
        return try bytes.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[start..<ends[index]])) }
    }
}

extension TextColumn: ExpressibleByArrayLiteral {
    package init(arrayLiteral texts: String?...) { self.init(texts) }
}
