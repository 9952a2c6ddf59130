public import Foundation
package import KithModel

/// A kind of file that lists are read from and written to.
///
/// Reading takes UTF-8 with or without a byte order mark, UTF-16 with one,
/// and lines that end in CR, LF or both. An entry either arrives whole or is
/// named among ``ListDocument/faults``; nothing is cut short or guessed. An
/// empty category, comment or offer counts as none, and so does a name of
/// white space only.
///
/// Writing and then reading gives the same document, as far as a format
/// reaches. No format carries a title of white space only: it is written as
/// “(untitled)”.
public enum ListFormat: String, CaseIterable, Sendable {
    /// One item a line: `Milk`, `3 x Milk`, `[x] Milk`.
    ///
    /// It carries titles, counts and ticks. It does not carry the list's
    /// name, categories, comments, offers, line breaks in titles (they become
    /// spaces) and white space around titles.
    case text

    /// A check list: `# Name`, `## Category`, `- [ ] 3 x Milk`, and indented below it the comment.
    ///
    /// It does not carry offers, line breaks in names, categories and titles
    /// (they become spaces), white space around any of them and around the
    /// lines of comments, and empty lines at either end of a comment.
    case markdown

    /// A table with a header, separated by commas (RFC 4180).
    ///
    /// It carries everything but the list's name.
    case csv

    /// Tasks of a calendar: VTODO (RFC 5545), as reminder and task programs write and read them.
    ///
    /// Counts have no property there. They stand in the summary, `3 x Milk`,
    /// where each program shows them and an edit of them counts; a property of
    /// our own beside it could only disagree. Offers are in `X-KITH-OFFER`.
    /// It does not carry white space around titles and categories and control
    /// characters other than tab and line feed (CR becomes LF). When a task is
    /// due, its priority and what it is a part of stand at the end of the
    /// comment, and are written as properties again. Events and journals are
    /// faults; what else other programs write is named as not read.
    case icalendar

    /// `{"name": …, "items": [{"title", "count", "ticked", "category", "comment", "offer"} …]}`.
    ///
    /// It carries everything. Only `title` must be there. An array of such
    /// items, or of plain titles, is read too. The `items` of an item follow it.
    case json

    /// Bytes of the largest file that is read.
    public static let byteLimit = 10 * 1024 * 1024
    /// Items of the longest file that is read.
    public static let itemLimit = 50_000
    /// Faults that are told one by one. The last tells how many more there are.
    public static let faultLimit = 1_000
    /// Characters of a line that a fault shows.
    public static let shownCharacters = 80

    /// Why nothing of a file could be read.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// What kind of trouble it is.
        public enum Code: String, Sendable {
            /// More than ``ListFormat/byteLimit`` bytes.
            case tooLarge
            /// More than ``ListFormat/itemLimit`` items.
            case tooMany
            /// Not text: a picture, an archive, or an encoding without its mark.
            case notText
            /// Text, but not in the format that it was read as.
            case notThisFormat
        }

        /// What kind of trouble it is, for programs.
        public let code: Code
        /// What is wrong and what to do next, for people.
        public let sentence: String
        /// The same as ``sentence``.
        public var description: String { sentence }

        init(_ code: Code, _ sentence: String) {
            self.code = code
            self.sentence = sentence
        }
    }

    /// Reads a list from the bytes of a file.
    ///
    /// - Returns: The items that could be read, and a fault for each line that could not.
    /// - Throws: ``Failure`` if the file as a whole is none of this format, or beyond a limit.
    public func read(_ data: Data) throws -> ListDocument {
        let source = try SourceText(data)
        return switch self {
        case .text: try PlainText.read(source)
        case .markdown: try CheckList.read(source)
        case .csv: try ItemTable.read(source)
        case .icalendar: try TaskCalendar.read(source)
        case .json: try ItemsObject.read(source)
        }
    }

    /// Writes a list as the bytes of a file, in UTF-8 without a byte order mark.
    ///
    /// Faults are not written. The result is the same each time, but for
    /// iCalendar, which wants new identifiers and the time of writing.
    public func write(_ document: ListDocument) -> Data {
        var random = SystemRandomNumberGenerator()
        let now = Timestamp(Date())
        return write(document, at: now, using: &random)
    }

    /// Writes a list as ``write(_:)`` does, with the outside world handed in.
    package func write(
        _ document: ListDocument, at time: Timestamp, using random: inout some RandomNumberGenerator
    ) -> Data {
        var document = document
        for index in document.items.indices where document.items[index].title.isBlank {
            document.items[index].title = "(untitled)"
        }
        return switch self {
        case .text: Data(PlainText.write(document).utf8)
        case .markdown: Data(CheckList.write(document).utf8)
        case .csv: Data(ItemTable.write(document))
        case .icalendar: Data(TaskCalendar.write(document, at: time, using: &random).utf8)
        case .json: Data(ItemsObject.write(document).utf8)
        }
    }
}

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
