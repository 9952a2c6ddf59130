/// How the records of a collection count as content of a store: as something that a user could miss.
///
/// A store without content is empty: it is hidden without a word, and dropped after its account was deleted.
package enum StoreContent: Sendable {
    /// Each record counts.
    case records
    /// No record counts, because records are parts of others, as items are of lists, or users never see them.
    case nothing
    /// Some records count. The closure returns how many of them a store has.
    case some(@Sendable (ReplicaReading) throws -> Int)
}
