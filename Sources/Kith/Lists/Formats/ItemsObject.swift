import KithModel

/// A list in JSON: an object with a name, a kind, a theme and items, or an array of items or titles.
///
///     {
///       "name": "Weekend",
///       "kind": "shopping",
///       "items": [
///         {"title": "Milk", "count": 3, "ticked": true, "category": "Dairy", "comment": "the brown one"},
///         "2 x Eggs"
///       ]
///     }
///
/// The keys of an item can also have the names of columns (``FieldNames``). Other keys are ignored, and listed as not
/// read. `null` is the same as a missing key. The `items` of an item follow it. A plain title is read as
/// ``CountedTitle``, because it has no other place for a count.
enum ItemsObject {
    static func read(_ source: SourceText) throws -> ListDocument {
        var reader = ItemsReader(source)
        return try reader.read()
    }

    static func write(_ document: ListDocument) -> String {
        var text = "{\n"
        if let name = document.name { text += "  \"name\": \(quoted(name)),\n" }
        if let kind = document.kind { text += "  \"kind\": \(quoted(kind)),\n" }
        if let theme = document.theme { text += "  \"theme\": \(quoted(theme)),\n" }
        text += "  \"items\": ["
        for (index, item) in document.items.enumerated() {
            text += "\(index == 0 ? "" : ",")\n    {\"title\": \(quoted(item.title))"
            if item.count != 1 { text += ", \"count\": \(item.count)" }
            if item.isTicked { text += ", \"ticked\": true" }
            if let category = item.category { text += ", \"category\": \(quoted(category))" }
            if let comment = item.comment { text += ", \"comment\": \(quoted(comment))" }
            if let offer = item.offer { text += ", \"offer\": \(quoted(offer))" }
            text += "}"
        }
        return text + (document.items.isEmpty ? "]\n}\n" : "\n  ]\n}\n")
    }

    private static func quoted(_ text: String) -> String { CanonicalForm.text(.text(text)) }
}
