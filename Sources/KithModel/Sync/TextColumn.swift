/// The texts of one field in a page, one after the other in one buffer.
///
/// A page has up to 10,000 records, and a device passes most of their texts on to its database. A `String` for each would
/// take longer than storing it. It is a class, because a column is copied for each value that is bound.
package final class TextColumn: Sendable {
    /// The texts in UTF-8.
    private let bytes: [UInt8]
    /// Where the text of each record ends in ``bytes``; inverted, and so negative, if the record has none.
    private let ends: [Int]

    fileprivate init(bytes: [UInt8], ends: [Int]) {
        self.bytes = bytes
        self.ends = ends
    }

    /// A column of `texts`; nil means that the record has none.
    package convenience init(_ texts: [String?]) {
        var column = Builder()
        for text in texts {
            if let text {
                column.append { $0.append(contentsOf: text.utf8) }
            } else {
                column.fill(to: column.count + 1)
            }
        }
        self.init(bytes: column.bytes, ends: column.ends)
    }

    /// The number of records.
    package var count: Int { ends.count }

    /// All texts.
    package var texts: [String?] { (0..<count).map { self[$0] } }

    /// The text at `index`; nil if the record has none.
    package subscript(index: Int) -> String? { withUTF8(at: index) { String(decoding: $0, as: UTF8.self) } }

    /// Passes the text at `index` to `body`, in UTF-8. Returns nil if the record has none.
    package func withUTF8<Result>(
        at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        guard let range = range(at: index) else { return nil }
        return try bytes.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[range])) }
    }

    /// Passes the text at each of `indexes` to `body`, in UTF-8; nil for a record that has none.
    package func forEachUTF8(at indexes: ArraySlice<Int>, _ body: (UnsafeBufferPointer<UInt8>?) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            for index in indexes { body(range(at: index).map { UnsafeBufferPointer(rebasing: bytes[$0]) }) }
        }
    }

    /// Where the text at `index` is in ``bytes``; nil if the record has none.
    private func range(at index: Int) -> Range<Int>? {
        let end = ends[index]
        if end < 0 { return nil }
        let before = index == 0 ? 0 : ends[index - 1]
        return (before < 0 ? ~before : before)..<end
    }

    /// Makes a column, text by text.
    struct Builder {
        fileprivate var bytes: [UInt8] = []
        fileprivate var ends: [Int] = []

        /// The number of records.
        var count: Int { ends.count }

        /// Appends the text that `write` appends to the buffer, which must be UTF-8.
        mutating func append(_ write: (inout [UInt8]) throws -> Void) rethrows {
            try write(&bytes)
            ends.append(bytes.count)
        }

        /// Appends records without a text until there are `count`.
        mutating func fill(to count: Int) {
            while ends.count < count { ends.append(~bytes.count) }
        }

        var column: TextColumn { TextColumn(bytes: bytes, ends: ends) }
    }
}

extension TextColumn: Hashable {
    package static func == (left: TextColumn, right: TextColumn) -> Bool {
        left.ends == right.ends && left.bytes == right.bytes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ends)
        hasher.combine(bytes)
    }
}

extension TextColumn: ExpressibleByArrayLiteral {
    package convenience init(arrayLiteral texts: String?...) { self.init(texts) }
}
