import KithModel

/// What a ledger has to be opened with: known before anything is read.
struct LedgerNeeds: Sendable {
    /// Lists whose feeds are touched.
    var lists: Set<FeedID> = []
    /// Of these, the lists whose people may change: everyone's access is read.
    var peopled: Set<FeedID> = []
    /// Of these, the lists that may end: everyone's feed is touched.
    var ending: Set<FeedID> = []
    /// People whose feeds are touched, by list: those who may come, go or change their role there.
    var people: [FeedID: Set<AccountID>] = [:]
    /// Accounts whose own feeds are touched.
    var accounts: Set<AccountID> = []
    /// People whose records of each other are touched, and whose profiles are shown there.
    var pairs: [Pair] = []
    /// Pictures that the profile of who asks is to name, by their hashes.
    var pictures: Set<String> = []
    /// When who asks was last online, if that is not written down yet.
    var seen: Timestamp?
    /// How many bytes of records an owner may have, if what is edited is held to that.
    var storage: Int64?
    /// Whether the lists of who asks are counted.
    var countsLists = false
    /// The ids that new records, or tombstones of forgotten ones, are to have, and that may belong to an account.
    var claimed: Set<FeedID> = []
    /// The records that are named.
    var records: Set<RecordPlace> = []

    /// `account` may come to `list`, go, or change its role.
    mutating func person(_ account: AccountID, in list: FeedID) {
        peopled.insert(list)
        lists.insert(list)
        people[list, default: []].insert(account)
    }

    /// What these mutations of `account` may touch, with all that may follow.
    init(_ mutations: ArraySlice<Mutation>, of account: AccountID) {
        for mutation in mutations {
            records.insert(RecordPlace(mutation.feed, mutation.record))
            if mutation.feed == account.retyped() { accounts.insert(account) } else { lists.insert(mutation.feed) }
            Collections[mutation.collection]?.addNeeds(of: mutation, by: account, to: &self)
        }
    }

    init() {}
}
