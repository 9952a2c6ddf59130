/// A table of items: CSV according to RFC 4180, and as spreadsheets write it.
///
/// Commas, semicolons or tabs separate the fields. The delimiter is the one that gives the header the most known
/// column names, then the most fields. A first row that names a title column is a header, with its columns in any
/// order; so is one of the next rows if it also names another column, and the rows above it are faults. Columns with
/// unknown names are ignored, and listed in ``ListDocument/unreadColumns``. Without a header the first column is the
/// title; the others are ignored and listed too, as far as any row fills them. If no column holds the count, titles are
/// read as ``CountedTitle``.
enum ItemTable {
    static func read(_ source: SourceText) throws -> ListDocument {
        var reader = TableReader(source)
        return try reader.read()
    }

    static func write(_ document: ListDocument) -> [UInt8] {
        var bytes = Array("title,count,ticked,category,comment,offer\r\n".utf8)
        for item in document.items {
            let fields = [
                item.title.asField, String(item.count), item.isTicked ? "true" : "false",
                item.category?.asField ?? "", item.comment?.asField ?? "", item.offer?.asField ?? "",
            ]
            for (index, field) in fields.enumerated() {
                if index > 0 { bytes.append(.comma) }
                append(field, to: &bytes)
            }
            bytes += [.carriageReturn, .lineFeed]
        }
        return bytes
    }

    /// Adds a field. It is quoted if a reader could misinterpret one of its characters or a space around it.
    private static func append(_ field: String, to bytes: inout [UInt8]) {
        let isPlain = !field.utf8.contains {
            $0 == .quote || $0 == .comma || $0 == UInt8(ascii: ";") || $0 == .tab || $0.isLineEnd
        }
        if isPlain && field.isExactly(field.trimmed) {
            bytes += field.utf8
        } else {
            bytes.append(.quote)
            for byte in field.utf8 {
                if byte == .quote { bytes.append(.quote) }
                bytes.append(byte)
            }
            bytes.append(.quote)
        }
    }
}
