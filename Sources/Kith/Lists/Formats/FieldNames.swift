/// The names that fields of an item have in tables and in JSON: Kith's first, then those of other programs.
///
/// If a file has several names of one field, the first in the list counts.
enum FieldNames {
    static let title = ["title", "name", "item", "summary", "content", "task", "subject", "description"]
    static let count = ["count", "quantity", "qty", "amount"]
    static let ticked = ["ticked", "done", "completed", "checked", "status"]
    /// When the item was completed.
    static let completion = ["completed at", "completed on", "completed time", "date completed", "completion date"]
    static let category = ["category", "section", "section/column", "heading", "aisle"]
    /// A description or a content beside another title is a comment.
    static let comment = ["comment", "comments", "note", "notes", "description", "content"]
    static let offer = ["offer"]

    static let all = Set([title, count, ticked, completion, category, comment, offer].joined())

    /// A name in the form of these lists: `completed at` for `Completed_At`.
    static func plain(_ name: String) -> String {
        String(name.trimmed.lowercased().map { $0 == "_" || $0 == "-" ? " " : $0 })
    }
}
