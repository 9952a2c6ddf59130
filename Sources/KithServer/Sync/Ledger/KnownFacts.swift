import KithModel

/// What is known for decisions besides feeds, access and records.
package struct KnownFacts: Sendable {
    /// The ids that the mutations name but that belong to accounts. No new record can have such an id.
    var accountIDs: Set<FeedID> = []
    /// The ids that are meant for new records but belong to feeds, of lists or of accounts.
    var usedIDs: Set<FeedID> = []
    /// The bytes that may still be written, by list and account: the remaining storage of the owner. Unlimited for
    /// feeds without an entry.
    var room = StorageRoom()
    /// The network of the caller; nil for the server itself.
    var network: ClientNetwork?
    /// The number of further records that the caller may have, by collection.
    var roomOfCollections: [RecordCollection: Int] = [:]
    /// What the rules of single collections know.
    var ofCollections = FactStore()

    /// What the rules of one collection know.
    package subscript<Facts: LedgerFacts>(type: Facts.Type) -> Facts {
        get { ofCollections[type] }
        _modify { yield &ofCollections[type] }
    }
}
