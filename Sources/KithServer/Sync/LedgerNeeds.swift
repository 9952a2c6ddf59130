import KithModel

/// The data that a ledger must read. It is determined before anything is read.
package struct LedgerNeeds: Sendable {
    /// The collections whose rules apply.
    let collections: Collections
    /// The lists whose feeds may change.
    var lists: Set<FeedID> = []
    /// The lists in ``lists`` whose people may change. The access of all their people is read.
    var peopled: Set<FeedID> = []
    /// The lists in ``lists`` that may end. The feeds of all their people may change.
    var ending: Set<FeedID> = []
    /// The people whose feeds may change, by list: those who may join, leave or change their role there.
    var people: [FeedID: Set<AccountID>] = [:]
    /// The accounts whose own feeds may change.
    var accounts: Set<AccountID> = []
    /// The contact records that may change, each with the other person's contact record of the same pair. The records
    /// show their profiles.
    var contacts: [RecordPlace] = []
    /// The hashes of the pictures that the caller's profile is to name.
    var pictures: Set<String> = []
    /// When the caller was last online, if that is not stored yet.
    var seen: Timestamp?
    /// The network of the caller, as text: a /24 of IPv4, a /56 of IPv6. nil for the server itself.
    var network: String?
    /// The maximum number of bytes of an owner's records, if it limits the edits.
    var storage: Int64?
    /// Whether the lists of the caller are counted.
    var countsLists = false
    /// The ids of new records, or of tombstones of forgotten records, that may belong to an account.
    var claimed: Set<FeedID> = []
    /// The keys of the share codes that are claimed.
    var codes: Set<String> = []
    /// The tokens of public links that shareables are to show.
    var listTokens: Set<String> = []
    /// Whether the rules for share codes are read.
    var readsCodeRules = false
    /// The collections of new records that an account may have only a limited number of.
    var limited: Set<RecordCollection> = []
    /// The records that the mutations name.
    var records: Set<RecordPlace> = []

    /// Adds that `account` may join `list`, leave it, or change its role there.
    mutating func person(_ account: AccountID, in list: FeedID) {
        peopled.insert(list)
        lists.insert(list)
        people[list, default: []].insert(account)
    }

    /// The data that these mutations of `account` may touch, including all possible consequences.
    init(_ mutations: ArraySlice<Mutation>, of account: AccountID, _ collections: Collections) {
        self.init(collections)
        for mutation in mutations {
            records.insert(RecordPlace(mutation.feed, mutation.record))
            if mutation.feed == account.retyped() { accounts.insert(account) } else { lists.insert(mutation.feed) }
            collections[mutation.collection]?.addNeeds(of: mutation, by: account, to: &self)
        }
    }

    init(_ collections: Collections = .standard) { self.collections = collections }
}
