/// The meaning of each column of a table.
struct TableColumns {
    private var title: Int
    private var count: Int?
    private var ticked: Int?
    /// When an item was completed.
    private var completion: Int?
    private var category: Int?
    private var comment: Int?
    private var offer: Int?
    /// The kinds of the rows, in a project of Todoist.
    private var kinds: Int?
    /// The number of columns in the header; nil for a table without a header.
    private var width: Int?

    struct Fault: Error { let reason: String }

    /// What a row is.
    enum Kind: Equatable {
        case item
        case section(String)
        case note(String)
        /// A setting of the other program, such as how it shows the list.
        case setting
        /// An item, with a word that is no kind of row.
        case other
    }

    /// An entry, and the reason why one of its cells was not read.
    struct Reading {
        var entry: ListDocumentBuilder.Entry
        let reason: String?
    }

    static let titleOnly = TableColumns()
    private init() { title = 0 }

    /// Returns nil if no field of this row names a title column.
    init?(header: [String]) {
        let names = header.map(FieldNames.plain)
        func column(_ known: [String]) -> Int? { known.lazy.compactMap(names.firstIndex(of:)).first }
        guard let title = column(FieldNames.title) else { return nil }
        self.title = title
        count = column(FieldNames.count)
        ticked = column(FieldNames.ticked)
        completion = column(FieldNames.completion)
        category = column(FieldNames.category)
        comment = column(FieldNames.comment).flatMap { $0 == title ? nil : $0 }
        offer = column(FieldNames.offer)
        // Other programs have a title beside the content, and their own types.
        kinds = names[title] == "content" ? names.firstIndex(of: "type") : nil
        width = header.count
    }

    /// The names of the ignored columns. One without a name is named by its position, if a row fills it.
    func unread(of header: [String], filled: Set<Int>, hasOtherKinds: Bool) -> [String] {
        let known = [title, count, ticked, completion, category, comment, offer, hasOtherKinds ? nil : kinds]
        let read = Set(known.compactMap(\.self))
        return filled.union(header.indices).subtracting(read).sorted().compactMap { index in
            let name = header.indices.contains(index) ? header[index].trimmed : ""
            if !name.isEmpty { return name }
            return filled.contains(index) ? "column \(index + 1)" : nil
        }
    }

    /// The number of known column names in a row; 0 without a title column.
    static func recognised(in header: [String]) -> Int {
        guard let columns = TableColumns(header: header) else { return 0 }
        let others = [
            columns.count, columns.ticked, columns.completion, columns.category, columns.comment, columns.offer,
        ]
        return 1 + others.count { $0 != nil }
    }

    /// What a row is: an item, unless the column for it says otherwise.
    func kind(of fields: [String]) -> Kind {
        guard let kinds, fields.indices.contains(kinds) else { return .item }
        let text = fields.indices.contains(title) ? fields[title].trimmed : ""
        return switch fields[kinds].trimmed.lowercased() {
        case "task", "": .item
        case "section": .section(text)
        case "note": .note(text)
        case "meta": .setting
        default: .other
        }
    }

    func entry(_ fields: [String]) -> Result<Reading, Fault> {
        func field(_ column: Int?) -> String? { column.flatMap { fields.indices.contains($0) ? fields[$0] : nil } }
        if let width, fields.dropFirst(width).contains(where: { !$0.isEmpty }) {
            return .failure(Fault(reason: "The row has \(fields.count) fields, the header \(width)."))
        }
        var entry = ListDocumentBuilder.Entry(
            title: field(title)?.fromField ?? "", category: field(category)?.fromField,
            comment: field(comment)?.fromField, offer: field(offer)?.fromField)
        if let count {
            let text = field(count)?.trimmed ?? ""
            guard let number = text.isEmpty ? 1 : Self.wholeNumber(text) else {
                return .failure(Fault(reason: "The count “\(text.shortened)” is not a whole number."))
            }
            entry.count = number
        } else {
            let counted = CountedTitle(entry.title)
            (entry.title, entry.count) = (counted.title, counted.count)
        }
        // A program that also writes the time of completion may have words of its own for the status.
        let ticks = TickWord.read([completion, ticked].compactMap { field($0) })
        entry.isTicked = ticks.isTicked
        return .success(Reading(entry: entry, reason: ticks.reason))
    }

    /// A whole number, also in the form `2.0` or `2,00`. In `2,000` the sign may separate the thousands.
    private static func wholeNumber(_ text: String) -> Int64? {
        guard let match = text.wholeMatch(of: /(\d+)[.,]0{1,2}/) else { return Int64(text) }
        return Int64(match.output.1)
    }
}
