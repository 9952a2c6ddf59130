import KithModel

/// The names of a record and of its list. They are stored so that a refused edit can still be named when both are gone.
struct RecordNames: Sendable, Hashable {
    var listName: String?
    var title: String?

    /// These names; a missing one is taken from `other`.
    func filled(from other: RecordNames) -> RecordNames {
        RecordNames(listName: listName ?? other.listName, title: title ?? other.title)
    }
}
