import KithModel

/// Reads a list from the rows of a table.
///
/// In a project of Todoist, a row is a task, a section, a note or a setting. A section is the category of the tasks below
/// it, and a note becomes a line of the comment of the task above it.
struct TableReader {
    private let source: SourceText
    private var rows: TableRows
    /// The number of rows above the header that are still to come.
    private var preamble: Int
    private var builder = ListDocumentBuilder()
    private var columns: TableColumns?
    private var header: [String] = []
    private var filled: Set<Int> = []
    private var hasOtherKinds = false
    /// The section of the rows that follow.
    private var section: String?
    /// The last item, to which notes may follow.
    private var last: Item?

    private struct Item {
        var reading: TableColumns.Reading
        let line: Int
        let offset: Int
    }

    init(_ source: SourceText) {
        self.source = source
        let form = TableRows.form(of: source)
        rows = TableRows(source: source, delimiter: form.delimiter, start: form.start)
        preamble = form.preamble
    }

    /// - Throws: ``ListFormat/Failure`` if there are too many items.
    mutating func read() throws -> ListDocument {
        while let row = rows.next() {
            switch row {
            case .broken(let reason, let line, let offset): fault(reason, line, offset)
            case .fields(let fields, let line, let offset): try read(fields, line, offset)
            }
        }
        try endItem()
        var document = builder.finished()
        document.unreadColumns =
            columns?.unread(of: header, filled: filled, hasOtherKinds: hasOtherKinds) ?? []
        return document
    }

    private mutating func read(_ fields: [String], _ line: Int, _ offset: Int) throws {
        let isAbove = preamble > 0
        if isAbove { preamble -= 1 }
        // Spreadsheets write empty rows where a row was deleted.
        if fields.allSatisfy(\.isEmpty) { return }
        if isAbove { return fault("This row is above the header.", line, offset) }
        guard let columns else {
            if let named = TableColumns(header: fields) {
                (self.columns, header) = (named, fields)
            } else {
                self.columns = .titleOnly
                try read(fields, line, offset)
            }
            return
        }
        let kind = columns.kind(of: fields)
        switch kind {
        case .item, .other:
            try endItem()
            hasOtherKinds = hasOtherKinds || kind == .other
            switch columns.entry(fields) {
            case .success(var reading):
                for (index, field) in fields.enumerated() where !field.isEmpty { filled.insert(index) }
                reading.entry.category = reading.entry.category?.nonempty ?? section
                last = Item(reading: reading, line: line, offset: offset)
            case .failure(let reason): fault(reason.reason, line, offset)
            }
        case .section(let name):
            try endItem()
            section = name.nonempty
        case .note(let text): note(text, line, offset)
        case .setting: break
        }
    }

    private mutating func note(_ text: String, _ line: Int, _ offset: Int) {
        guard let item = last else { return fault("No item comes before this note.", line, offset) }
        let comment = [item.reading.entry.comment?.nonempty, text].compactMap(\.self).joined(separator: "\n")
        if let reason = ListItem.schema["comment"]?.fault(in: .text(comment)) {
            fault("It has no room in the comment. \(reason)", line, offset)
        } else {
            last?.reading.entry.comment = comment
        }
    }

    /// Adds the last item to the document.
    private mutating func endItem() throws {
        guard let item = last else { return }
        last = nil
        try builder.take(item.reading.entry, line: item.line, text: source.bytes.shown(from: item.offset))
        if let reason = item.reading.reason { fault(reason, item.line, item.offset) }
    }

    private mutating func fault(_ reason: String, _ line: Int, _ offset: Int) {
        builder.fault(line: line, text: source.bytes.shown(from: offset), reason)
    }
}
