import KithModel

/// The intermediate result of a reader: the valid entries, and a fault for each invalid one.
///
/// The rules are those of the records, so everything that is read can also be added to a list.
struct ListDocumentBuilder {
    private(set) var document = ListDocument()
    /// The number of faults beyond the limit, and the line of the first of them.
    private var rest: (count: Int, line: Int) = (0, 0)

    /// An entry that is being read: a draft with an unchecked count.
    struct Entry {
        var title = ""
        var count: Int64 = 1
        var isTicked = false
        var category: String?
        var comment: String?
        var offer: String?

        /// Why it cannot be an item; nil if it can.
        var fault: String? {
            if title.isBlank { return "There is no title." }
            let schema = ListItem.schema
            return schema["title"]?.fault(in: .text(title))
                ?? schema["count"]?.fault(in: .integer(count))
                ?? category.flatMap { schema["category"]?.fault(in: .text($0)) }
                ?? comment.flatMap { schema["comment"]?.fault(in: .text($0)) }
                ?? offer.flatMap { schema["offer"]?.fault(in: .text($0)) }
        }
    }

    /// Adds an entry, or a fault for its line.
    ///
    /// - Throws: ``ListFormat/Failure`` if there are too many items.
    mutating func take(_ entry: Entry, line: Int, text: @autoclosure () -> String) throws {
        if let reason = entry.fault { return fault(line: line, text: text(), reason) }
        guard document.items.count < ListFormat.itemLimit else {
            throw ListFormat.Failure.tooManyItems
        }
        document.items.append(
            ItemDraft(
                title: entry.title, count: Int(entry.count), isTicked: entry.isTicked,
                category: entry.category?.nonempty, comment: entry.comment?.nonempty, offer: entry.offer?.nonempty))
    }

    /// Sets the list's name, or adds a fault for its line. An empty name is ignored.
    mutating func take(name: String, line: Int, text: @autoclosure () -> String) {
        guard !name.isBlank else { return }
        if let reason = SharedList.schema["name"]?.fault(in: .text(name)) {
            fault(line: line, text: text(), reason)
        } else {
            document.name = name
        }
    }

    /// Sets the list's kind or theme, or adds a fault for its line. An empty text is ignored.
    mutating func take(
        _ text: String, as field: WritableKeyPath<ListDocument, String?>, named name: String, line: Int,
        shown: @autoclosure () -> String
    ) {
        if let reason = SharedList.schema[name]?.fault(in: .text(text)) {
            fault(line: line, text: shown(), reason)
        } else {
            document[keyPath: field] = text.nonempty
        }
    }

    /// Adds a fault for a line that could not be read.
    mutating func fault(line: Int, text: @autoclosure () -> String, _ reason: String) {
        if document.faults.count < ListFormat.faultLimit - 1 {
            document.faults.append(.init(line: line, text: text().shortened, reason: reason))
        } else {
            rest = (rest.count + 1, rest.count == 0 ? line : rest.line)
        }
    }

    /// Adds the name of content that an item has no field for. A repeated name is added only once.
    mutating func unread(_ name: String) {
        guard !name.isEmpty, document.unreadColumns.count < Self.unreadLimit else { return }
        let name = String(name.prefix(60))
        if !document.unreadColumns.contains(name) { document.unreadColumns.append(name) }
    }

    private static let unreadLimit = 50

    /// Adds a fault for a line that is no text.
    mutating func unreadable(_ line: SourceText.Line) {
        fault(line: line.number, text: line.shown, line.bytes.unreadable(as: "The line"))
    }

    /// The result, with the faults in the order of their lines.
    func finished() -> ListDocument {
        var document = document
        document.faults.sort { $0.line < $1.line }
        if rest.count > 0 {
            document.faults.append(
                .init(
                    line: rest.line, text: "",
                    reason: "\(rest.count) more lines from here on could not be read. They are not listed one by one."))
            document.moreFaults = rest.count - 1
        }
        return document
    }
}

extension String {
    /// The text, or nil if it is empty.
    var nonempty: String? { isEmpty ? nil : self }
}
