public import Foundation
package import KithModel
import TextEncodings

/// A file format from which lists are read and to which they are written.
///
/// Reading accepts UTF-8 with or without a byte order mark, UTF-16 with one, on request Windows-1252, and lines that end
/// in CR, LF or both. What cannot be read is listed in ``ListDocument/faults``, or in ``ListDocument/unreadColumns`` if
/// items have no field for it; nothing is truncated or guessed. A text with more than 64 combining marks in a row is a
/// fault of its line. An empty category, comment or offer counts as none, and so does a name of white space only. Only
/// JSON keeps the list's kind and theme.
///
/// Writing and then reading gives the same document, within the limits of the format. No format supports a title of
/// white space only: it is written as “(untitled)”.
public enum ListFormat: String, CaseIterable, Sendable {
    /// One item per line: `Milk`, `3 x Milk`, `[x] Milk`.
    ///
    /// It keeps titles, counts and ticks. It does not keep the list's name, categories, comments, offers, line breaks
    /// in titles (they become spaces), or white space around titles.
    case text

    /// A check list: `# Name`, `## Category`, `- [ ] 3 x Milk`, with the comment indented below it.
    ///
    /// It does not keep offers, line breaks in names, categories and titles (they become spaces), white space around
    /// any of them or around the lines of comments, or empty lines at either end of a comment.
    case markdown

    /// A table with a header, separated by commas (RFC 4180).
    ///
    /// It keeps everything except the list's name, kind and theme. A text that a spreadsheet would run as a formula, such
    /// as `=1+1`, has an apostrophe before it, which reading removes.
    case csv

    /// Tasks of a calendar: VTODO (RFC 5545), the format of reminder and task programs.
    ///
    /// VTODO has no property for counts. They are part of the summary, `3 x Milk`, where every program shows them and
    /// can edit them; an additional property could contradict the summary. Offers are in `X-KITH-OFFER`. The format
    /// does not keep white space around titles and categories, or control characters other than tab and line feed (CR
    /// becomes LF). A task's due date, priority and parent are put at the end of the comment, and are written as
    /// properties again. Events and journals are faults. Other content that an item has no field for is listed as not
    /// read.
    case icalendar

    /// `{"name": …, "kind": …, "theme": …, "items": [{"title", "count", "ticked", "category", "comment", "offer"} …]}`.
    ///
    /// It keeps everything. Only `title` is required. An array of such items, or of plain titles, is read too. The
    /// `items` of an item follow it.
    case json

    /// The maximum number of bytes of a file: 64 MiB. Only a list with many long comments needs more.
    public static let byteLimit = 64 * 1024 * 1024
    /// The maximum number of items of a file: as many as a list can have.
    public static let itemLimit = Limits.records
    /// The maximum number of faults that are listed. The last one gives the number of the remaining faults.
    public static let faultLimit = 1_000
    /// The maximum number of characters of a line that a fault shows.
    public static let shownCharacters = 80

    /// The reason why a file could not be read at all.
    public struct Failure: LocalizedError, Hashable, Sendable, CustomStringConvertible {
        /// The kind of failure.
        public enum Code: String, Sendable {
            /// The file has more than ``ListFormat/byteLimit`` bytes.
            case tooLarge
            /// The file has more than ``ListFormat/itemLimit`` items.
            case tooMany
            /// The file is not text: a picture, an archive, or an encoding without its mark.
            case notText
            /// The file is text, but not of the expected format.
            case notThisFormat
        }

        /// The kind of failure, for programs.
        public let code: Code
        /// What is wrong and what to do next, for people.
        public let sentence: String
        /// The same as ``sentence``.
        public var description: String { sentence }
        /// The same as ``sentence``, which `localizedDescription` and alerts of SwiftUI show.
        public var errorDescription: String? { sentence }

        init(_ code: Code, _ sentence: String) {
            self.code = code
            self.sentence = sentence
        }

        static var tooManyItems: Failure {
            Failure(.tooMany, "The file has more than \(ListFormat.itemLimit) items. Split it into several.")
        }
    }

    /// Reads a list from the bytes of a file.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - encoding: Their encoding.
    /// - Returns: The items that could be read, and a fault for each line that could not.
    /// - Throws: ``Failure`` if the whole file is not of this format, or exceeds a limit.
    public func read(_ data: Data, in encoding: ListEncoding = .unicode) throws -> ListDocument {
        let source = try SourceText(data, in: encoding)
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
    /// Faults are not written. The result is always the same, except for iCalendar, which requires new identifiers and
    /// the time of writing.
    public func write(_ document: ListDocument) -> Data {
        var random = SystemRandomNumberGenerator()
        let now = Timestamp(Date())
        return write(document, at: now, using: &random)
    }

    /// The names of the fields that a document or its items have and that this format does not keep. The kind `shopping`
    /// is that of a list without one.
    package func left(of document: ListDocument) -> [String] {
        if self == .json { return [] }
        let isUsual = document.kind?.nonempty ?? SharedList.standardKind == SharedList.standardKind
        let own = [isUsual ? nil : "kind", document.theme?.nonempty.map { _ in "theme" }].compactMap(\.self)
        let all: [(name: String, value: KeyPath<ItemDraft, String?>)] = [
            ("category", \.category), ("comment", \.comment), ("offer", \.offer),
        ]
        let left: ArraySlice<(name: String, value: KeyPath<ItemDraft, String?>)> =
            switch self {
            case .text: all[...]
            case .markdown: all.suffix(1)
            case .csv, .icalendar, .json: []
            }
        return own
            + left.filter { field in document.items.contains { $0[keyPath: field.value]?.isEmpty == false } }
            .map { $0.name }
    }

    /// Like ``write(_:)``, with the time and the random numbers as parameters.
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
    /// The number of bytes at the beginning of a file that are examined.
    private static let glance = 16 * 1024

    /// Recognizes the format of a file by its name and its beginning.
    ///
    /// The endings `md`, `markdown`, `csv`, `ics` and `json` decide. For `txt` or no ending, the beginning decides
    /// whether it is a calendar, JSON, a table with a header or a check list; any other text is plain text. For any
    /// other ending only these four are recognized, so that a web page is not read as a list.
    ///
    /// - Parameters:
    ///   - fileName: The name or path; empty if there is none.
    ///   - content: The file's bytes, or the first of them; empty for a file that is still to be written.
    /// - Returns: nil if the format is not clear.
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
        let start = StreamSafeText.clamped(String(decoding: source.bytes, as: UTF8.self))
        if start.prefixMatch(of: /\s*BEGIN:(VCALENDAR|VTODO)/.ignoresCase()) != nil { return .icalendar }
        if start.prefixMatch(of: /\s*(\{\s*["}]|\[\s*["{\]])/) != nil { return .json }
        if ItemTable.hasHeader(source) { return .csv }
        return CheckList.isLikely(start) ? .markdown : nil
    }
}

extension ItemTable {
    /// Whether the first row has names for a title and at least one other column.
    fileprivate static func hasHeader(_ source: SourceText) -> Bool {
        let form = TableRows.form(of: source)
        var rows = TableRows(source: source, delimiter: form.delimiter, start: form.start)
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
