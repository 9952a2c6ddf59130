/// The names of a record and of its list. They are stored so that a refused edit can still be described when both are
/// gone.
struct RecordNames: Sendable, Hashable {
    var listName: String?
    var title: String?

    /// These names, with missing ones taken from `other`.
    func filled(from other: RecordNames) -> RecordNames {
        RecordNames(listName: listName ?? other.listName, title: title ?? other.title)
    }
}
