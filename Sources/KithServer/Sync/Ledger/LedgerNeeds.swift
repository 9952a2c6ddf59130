package import KithModel

/// The data that a ledger must read. It is determined before anything is read.
package struct LedgerNeeds: Sendable {
    /// Finds when an account was last online, as far as others may know; nil if it never was.
    ///
    /// It is called in the transaction that decides by it, because the account can come and go while the transaction
    /// waits for others. It has no effects, because a transaction can run twice.
    package typealias LastOnline = @Sendable (any Transaction) throws -> Timestamp?

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

    /// Adds that `account` may join `list`, leave it, or change its role there.
    mutating func person(_ account: AccountID, in list: FeedID) {
        peopled.insert(list)
        lists.insert(list)
        people[list, default: []].insert(account)
    }

    /// The data that these mutations of `account` may touch, including all possible consequences.
    init(_ mutations: ArraySlice<Mutation>, of account: AccountID, _ collections: Collections) {
        self.init(collections)
        records.reserveCapacity(mutations.count)
        for mutation in mutations {
            records.insert(RecordPlace(mutation.feed, mutation.record))
            if mutation.feed == account.retyped() { accounts.insert(account) } else { lists.insert(mutation.feed) }
            collections[mutation.collection]?.addNeeds(of: mutation, by: account, to: &self)
        }
    }

    /// The turn for which a push of `account` with these needs waits; nil if it is not about exactly one list.
    ///
    /// Its device is named if the push locks nothing before the list's feed but the row of the device, which exists,
    /// and no feed after it.
    func turn(of device: DeviceID, of account: AccountID, hasSent: Bool) -> FeedTurn? {
        guard lists.count == 1, let list = lists.first else { return nil }
        let isAboutItems = accounts.isEmpty && peopled.isEmpty
        return FeedTurn(of: list, for: isAboutItems && hasSent ? FeedTurn.Device(device, of: account) : nil)
    }

    init(_ collections: Collections = .standard) { self.collections = collections }
}
