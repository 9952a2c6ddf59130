import KithModel

/// What a reader has found so far: the entries that keep the rules, and a fault for each that does not.
///
/// The rules are those of the records themselves, so that what is read can
/// also be added to a list.
struct Gathering {
    private(set) var document = ListDocument()
    /// How many faults are beyond the limit, and the line of the first of them.
    private var untold: (count: Int, line: Int) = (0, 0)

    /// An entry on its way in: a draft whose count may still be any number.
    struct Entry {
        var title = ""
        var count: Int64 = 1
        var isTicked = false
        var category: String?
        var comment: String?
        var offer: String?
    }

    /// Takes an entry in, or names its line.
    ///
    /// - Throws: ``ListFormat/Failure`` if it is one item too many.
    mutating func take(_ entry: Entry, line: Int, text: @autoclosure () -> String) throws {
        if let reason = Self.fault(in: entry) { return fault(line: line, text: text(), reason) }
        guard document.items.count < ListFormat.itemLimit else {
            throw ListFormat.Failure(
                .tooMany, "The file has more than \(ListFormat.itemLimit) items. Split it into several.")
        }
        document.items.append(
            ItemDraft(
                title: entry.title, count: Int(entry.count), isTicked: entry.isTicked,
                category: entry.category?.nonempty, comment: entry.comment?.nonempty, offer: entry.offer?.nonempty))
    }

    /// Takes the list's name, or names its line. An empty one is none.
    mutating func take(name: String, line: Int, text: @autoclosure () -> String) {
        guard !name.isBlank else { return }
        if let reason = SharedList.schema["name"]?.fault(in: .text(name)) {
            fault(line: line, text: text(), reason)
        } else {
            document.name = name
        }
    }

    /// Names a line that could not be read.
    mutating func fault(line: Int, text: @autoclosure () -> String, _ reason: String) {
        if document.faults.count < ListFormat.faultLimit - 1 {
            document.faults.append(.init(line: line, text: text().shortened, reason: reason))
        } else {
            untold = (untold.count + 1, untold.count == 0 ? line : untold.line)
        }
    }

    /// Notes something that an item has no place for, once.
    mutating func unread(_ name: String) {
        guard !name.isEmpty, document.unreadColumns.count < Self.unreadLimit else { return }
        let name = String(name.prefix(60))
        if !document.unreadColumns.contains(name) { document.unreadColumns.append(name) }
    }

    private static let unreadLimit = 50

    /// Names a line that is not UTF-8.
    mutating func unreadable(_ line: SourceText.Line) {
        fault(line: line.number, text: line.shown, "The line has bytes that are not UTF-8.")
    }

    /// All that was found, faults in the order of lines.
    func finished() -> ListDocument {
        var document = document
        document.faults.sort { $0.line < $1.line }
        if untold.count > 0 {
            document.faults.append(
                .init(
                    line: untold.line, text: "",
                    reason: "From here on \(untold.count) more could not be read; they are not told one by one."))
            document.moreFaults = untold.count - 1
        }
        return document
    }

    private static func fault(in entry: Entry) -> String? {
        if entry.title.isBlank { return "There is no title." }
        let schema = ListItem.schema
        return schema["title"]?.fault(in: .text(entry.title))
            ?? schema["count"]?.fault(in: .integer(entry.count))
            ?? entry.category.flatMap { schema["category"]?.fault(in: .text($0)) }
            ?? entry.comment.flatMap { schema["comment"]?.fault(in: .text($0)) }
            ?? entry.offer.flatMap { schema["offer"]?.fault(in: .text($0)) }
    }
}

extension String {
    /// The text, or nil if it is empty.
    var nonempty: String? { isEmpty ? nil : self }
}
