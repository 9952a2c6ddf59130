public import Foundation

extension ListFormat {
    /// Bytes at the beginning of a file that are looked at.
    private static let glance = 16 * 1024

    /// The format of a file, by its name and what it begins with.
    ///
    /// The endings `md`, `markdown`, `csv`, `ics` and `json` are believed. A
    /// file that ends in `txt` or has no ending is looked into: calendars,
    /// JSON, tables with a header and check lists are known by their
    /// beginning, all other text is plain. In a file of another ending only
    /// these four are found, so that a web page is not taken for a list.
    ///
    /// - Parameters:
    ///   - fileName: The name or path; empty where there is none.
    ///   - content: The file's bytes, or the first of them; empty for a file that is yet to be written.
    /// - Returns: nil if it is not clear what the file is.
    public static func recognised(fileName: String, content: Data) -> ListFormat? {
        let ending = (fileName as NSString).pathExtension.lowercased()
        switch ending {
        case "md", "markdown": return .markdown
        case "csv": return .csv
        case "ics", "ical": return .icalendar
        case "json": return .json
        case "txt", "text":
            return (try? SourceText(content.prefix(glance))).map { found(in: $0) ?? .text }
        default:
            guard let source = try? SourceText(content.prefix(glance)), !source.bytes.isEmpty else { return nil }
            return found(in: source) ?? (ending.isEmpty ? .text : nil)
        }
    }

    private static func found(in source: SourceText) -> ListFormat? {
        let start = String(decoding: source.bytes, as: UTF8.self)
        if start.prefixMatch(of: /\s*BEGIN:(VCALENDAR|VTODO)/.ignoresCase()) != nil { return .icalendar }
        if start.prefixMatch(of: /\s*(\{\s*["}]|\[\s*["{\]])/) != nil { return .json }
        if ItemTable.hasHeader(source) { return .csv }
        return CheckList.isLikely(start) ? .markdown : nil
    }
}

extension ItemTable {
    /// Whether the first row names a title and at least one other column.
    fileprivate static func hasHeader(_ source: SourceText) -> Bool {
        let (delimiter, start) = TableRows.delimiter(of: source)
        var rows = TableRows(source: source, delimiter: delimiter, start: start)
        guard case .fields(let fields, _, _) = rows.next() else { return false }
        return TableColumns.recognised(in: fields) >= 2
    }
}

extension CheckList {
    /// Whether there are entries with boxes, or both headings and entries.
    fileprivate static func isLikely(_ text: String) -> Bool {
        var hasHeading = false
        var hasEntry = false
        for line in text.textLines {
            if line.prefixMatch(of: /\s*([-*+]|\d+[.)])\s+\[[ xX]\](\s|$)/) != nil { return true }
            hasHeading = hasHeading || line.prefixMatch(of: /#{1,6}\s+\S/) != nil
            hasEntry = hasEntry || line.prefixMatch(of: /\s*([-*+]|\d+[.)])\s+\S/) != nil
        }
        return hasHeading && hasEntry
    }
}
