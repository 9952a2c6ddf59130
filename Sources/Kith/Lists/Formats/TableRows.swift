/// The rows of a table, by the grammar of RFC 4180.
///
/// Kith does not use SwiftCSV: a fault must name its line, and one broken quote must cost one row, not the rest of the
/// file. The grammar is short, and apps get one dependency less.
struct TableRows: IteratorProtocol {
    enum Row {
        /// The fields of a row, and the line and offset of its beginning.
        case fields([String], line: Int, offset: Int)
        case broken(reason: String, line: Int, offset: Int)
    }

    /// The maximum number of fields of a row.
    static let fieldLimit = 1_000

    private let bytes: [UInt8]
    private let delimiter: UInt8
    private var at: Int
    private var line: Int

    init(source: SourceText, delimiter: UInt8, start: Int = 0) {
        bytes = source.bytes
        self.delimiter = delimiter
        at = start
        line = start == 0 ? 1 : 2
    }

    /// How a table is written.
    struct Form {
        let delimiter: UInt8
        /// The offset of the first row.
        var start = 0
        /// The number of readable rows above the header.
        var preamble = 0
    }

    /// Finds the form of a table.
    ///
    /// A first line `sep=;`, as Excel knows it, in any case and perhaps in quotes, decides the delimiter. Otherwise it is
    /// the one that gives the header the most known names, then the most fields.
    static func form(of source: SourceText) -> Form {
        let bytes = source.bytes
        let end = bytes.lineEnd(from: 0)
        if end < bytes.count, let delimiter = namedDelimiter(in: bytes[..<end]) {
            return Form(delimiter: delimiter, start: bytes.afterLineEnd(at: end))
        }
        var best = (form: Form(delimiter: .comma), names: 0, fields: 0)
        for delimiter in signs {
            var rows = TableRows(source: source, delimiter: delimiter)
            guard let (fields, preamble) = rows.header() else { continue }
            let names = TableColumns.recognised(in: fields)
            if (names, fields.count) > (best.names, best.fields) {
                best = (Form(delimiter: delimiter, preamble: preamble), names, fields.count)
            }
        }
        return best.form
    }

    /// The delimiter in a line `sep=;` or `"sep=;"`.
    private static func namedDelimiter(in line: ArraySlice<UInt8>) -> UInt8? {
        let plain = line.count <= 7 ? line.filter { $0 != .quote } : []
        guard let sign = plain.last, signs.contains(sign) else { return nil }
        return String(decoding: plain.dropLast(), as: UTF8.self).lowercased() == "sep=" ? sign : nil
    }

    private static let signs: [UInt8] = [.comma, UInt8(ascii: ";"), .tab]

    /// The number of rows among which the header is searched for. Some programs write a date or a legend above it.
    private static let headerRows = 10

    /// The first row if it names a title column. Otherwise one of the next rows, if it names a title and another column;
    /// else the first row again. With it, the number of readable rows above it.
    private mutating func header() -> (fields: [String], preamble: Int)? {
        var first: [String]?
        var preamble = 0
        while preamble < Self.headerRows, let row = next() {
            guard case .fields(let fields, _, _) = row else { continue }
            if TableColumns.recognised(in: fields) >= (first == nil ? 1 : 2) { return (fields, preamble) }
            if !fields.allSatisfy(\.isEmpty) { first = first ?? fields }
            preamble += 1
        }
        return first.map { ($0, 0) }
    }

    /// Reads the next row; empty lines are ignored.
    ///
    /// After a broken row, reading continues with the line after the row's first line, so that an unclosed quote does
    /// not consume the rest of the file. The effort stays linear, because the next unbalanced quote closes the open
    /// one.
    mutating func next() -> Row? {
        while at < bytes.count, bytes[at].isLineEnd { endLine() }
        guard at < bytes.count else { return nil }
        let (start, firstLine) = (at, line)
        do {
            guard let fields = try row() else {
                let reason = bytes[start..<at].unreadable(as: "The row")
                return .broken(reason: reason, line: firstLine, offset: start)
            }
            return .fields(fields, line: firstLine, offset: start)
        } catch {
            (at, line) = (bytes.lineEnd(from: start), firstLine)
            endLine()
            return .broken(reason: error.reason, line: firstLine, offset: start)
        }
    }

    /// A misplaced quote, or too many fields.
    private struct Fault: Error { let reason: String }

    private mutating func endLine() {
        at = bytes.afterLineEnd(at: at)
        line += 1
    }

    /// Reads the fields of the row at this position; nil if one of them is no text.
    private mutating func row() throws(Fault) -> [String]? {
        var fields: [String?] = []
        while true {
            guard fields.count < Self.fieldLimit else {
                throw Fault(reason: "The row has more than \(Self.fieldLimit) fields.")
            }
            let isQuoted = at < bytes.count && bytes[at] == .quote
            fields.append(isQuoted ? try quoted() : try plain())
            guard at < bytes.count else { break }
            if bytes[at].isLineEnd {
                endLine()
                break
            }
            at += 1
        }
        let texts = fields.compactMap { $0 }
        return texts.count == fields.count ? texts : nil
    }

    private mutating func plain() throws(Fault) -> String? {
        let start = at
        while at < bytes.count, bytes[at] != delimiter, !bytes[at].isLineEnd {
            guard bytes[at] != .quote else {
                throw Fault(reason: "A quote stands inside a field that does not begin with one.")
            }
            at += 1
        }
        return String(inFile: bytes[start..<at])?.trimmed
    }

    private mutating func quoted() throws(Fault) -> String? {
        at += 1
        var content: [UInt8] = []
        while true {
            guard at < bytes.count else { throw Fault(reason: "The quote that opens here is never closed.") }
            if bytes[at] == .quote {
                at += 1
                guard at < bytes.count, bytes[at] == .quote else { break }
                content.append(.quote)
                at += 1
            } else if bytes[at].isLineEnd {
                let start = at
                endLine()
                content += bytes[start..<at]
            } else {
                content.append(bytes[at])
                at += 1
            }
        }
        guard at == bytes.count || bytes[at] == delimiter || bytes[at].isLineEnd else {
            throw Fault(reason: "Text follows the quote that closes a field.")
        }
        return String(inFile: content)
    }
}
