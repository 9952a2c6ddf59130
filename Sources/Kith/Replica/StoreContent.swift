/// How the records of a collection count as content of a store: as something that a user could miss.
///
/// A store with no content is empty, unless it has unsent edits, rejections or a removal that can be undone: see
/// ``StoredAccount/isEmpty``. An empty store is hidden without a word.
package enum StoreContent: Sendable {
    /// Each record counts.
    case records
    /// No record counts, because records are parts of others, as items are of lists, or users never see them.
    case nothing
    /// Some records count. The closure returns how many of them a store has.
    case some(@Sendable (ReplicaReading) throws -> Int)
}
