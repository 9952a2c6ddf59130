package import KithModel

/// The data that a ledger must read. It is determined before anything is read.
package struct LedgerNeeds: Sendable {
    /// Finds when an account was last online, as far as others may know; nil if it never was.
    ///
    /// It is called in the transaction that decides by it, because the account can come and go while the transaction
    /// waits for others. It has no effects, because a transaction can run twice.
    package typealias LastOnline = @Sendable (any Transaction) throws -> Timestamp?

    /// What may happen to a list.
    struct List {
        /// The people who may join, leave or change their role. Their feeds may change, and the access of everybody in
        /// the list is read. If it is nil, the list keeps its people, and their access is not read.
        var people: Set<AccountID>?
        /// Whether the list may end. The feeds of all its people may change then.
        var mayEnd = false
    }

    /// The collections whose rules apply.
    let collections: Collections
    /// The lists whose feeds may change. The feeds are locked.
    private(set) var lists: [FeedID: List] = [:]
    /// The accounts whose own feeds may change.
    var accounts: Set<AccountID> = []
    /// Finds when the caller was last online; what is stored if nil.
    var lastOnline: LastOnline?
    /// The network of the caller; nil for the server itself.
    var network: ClientNetwork?
    /// The maximum number of bytes of an owner's records, if it limits the edits.
    var storage: Int64?
    /// The ids of new records, or of tombstones of forgotten records, that may belong to an account.
    var newIDs: Set<FeedID> = []
    /// The collections of new records that an account may have only a limited number of.
    var limited: Set<RecordCollection> = []
    /// The records that the mutations name.
    var records: Set<RecordPlace> = []
    /// What the rules of single collections read in addition.
    private var facts = FactStore()

    /// What the rules of one collection read in addition.
    package subscript<Needs: LedgerFacts>(type: Needs.Type) -> Needs {
        get { facts[type] }
        _modify { yield &facts[type] }
    }

    /// The lists of which everybody's access is read, in the order of their ids.
    var listsWithPeople: [FeedID] { lists.filter { $0.value.people != nil }.keys.sorted() }

    /// Adds a list whose feed may change.
    mutating func lock(_ list: FeedID) {
        if lists[list] == nil { lists[list] = List() }
    }

    /// Adds a list of which everybody's access is read.
    mutating func readPeople(of list: FeedID) {
        lock(list)
        if lists[list]?.people == nil { lists[list]?.people = [] }
    }

    /// Adds that `people` may join `list`, leave it, or change their role there.
    mutating func changeRoles(of people: AccountID..., in list: FeedID) {
        readPeople(of: list)
        lists[list]?.people?.formUnion(people)
    }

    /// Adds that `account` may leave `list`, and that the list may end.
    mutating func end(_ list: FeedID, leaving account: AccountID) {
        changeRoles(of: account, in: list)
        lists[list]?.mayEnd = true
    }

    /// The data that these mutations of `account` may touch, including all possible consequences.
    init(_ mutations: ArraySlice<Mutation>, of account: AccountID, _ collections: Collections) {
        self.init(collections)
        records.reserveCapacity(mutations.count)
        for mutation in mutations {
            records.insert(RecordPlace(mutation.feed, mutation.record))
            if mutation.feed == account.retyped() { accounts.insert(account) } else { lock(mutation.feed) }
            collections[mutation.collection]?.addNeeds(of: mutation, by: account, to: &self)
        }
    }

    /// The turn for which a push of `account` with these needs waits; nil if it is not about exactly one list.
    ///
    /// Its device is named if the push locks nothing before the list's feed but the row of the device, which exists,
    /// and no feed after it.
    func turn(of device: DeviceID, of account: AccountID, hasSent: Bool) -> FeedTurn? {
        guard lists.count == 1, let (list, need) = lists.first else { return nil }
        let isAboutItems = accounts.isEmpty && need.people == nil
        return FeedTurn(of: list, for: isAboutItems && hasSent ? FeedTurn.Device(device, of: account) : nil)
    }

    init(_ collections: Collections = .standard) { self.collections = collections }
}
