import KithModel

/// The accounts whose presence at other nodes matters here, and which of them are still to be read.
///
/// They are the people with a stream here, and those that such people are connected with. Others take no memory.
struct PresenceInterest {
    /// This node; nil if no other node uses the database.
    private let node: NodeID?
    /// The nodes that have ended.
    private var endedNodes: Set<NodeID> = []
    /// For each account, the number of people with a stream here that are the account or are connected with it.
    private var counts: [AccountID: Int] = [:]
    /// The accounts whose presence elsewhere is to be read.
    private var unread: Set<AccountID> = []
    /// The number of readings that run.
    private var readings = 0
    /// The accounts that other nodes have told of meanwhile. What they told is newer than what is read.
    private var heardMeanwhile: [NodeID: Set<AccountID>] = [:]

    init(of node: NodeID?) { self.node = node }

    /// Whether other nodes use the database.
    var isShared: Bool { node != nil }

    func contains(_ account: AccountID) -> Bool { counts[account] != nil }

    /// Counts one more person with a stream for each account.
    mutating func gain(_ accounts: Set<AccountID>) {
        for account in accounts {
            if counts[account] == nil { unread.insert(account) }
            counts[account, default: 0] += 1
        }
    }

    /// Counts one person less for each account.
    ///
    /// - Returns: The accounts that have lost their last such person.
    mutating func lose(_ accounts: Set<AccountID>) -> Set<AccountID> {
        for account in accounts { counts[account]? -= 1 }
        let lost = accounts.filter { counts[$0] == 0 }
        for account in lost { counts[account] = nil }
        unread.subtract(lost)
        return lost
    }

    // MARK: Nodes

    /// Records that a node runs.
    mutating func begin(_ node: NodeID) { endedNodes.remove(node) }

    /// Records that a node has ended.
    mutating func end(_ node: NodeID) { endedNodes.insert(node) }

    /// Whether this is another node, and has not ended.
    func isRunning(_ node: NodeID) -> Bool { node != self.node && !endedNodes.contains(node) }

    /// Records that a node has told of an account.
    ///
    /// - Returns: Whether the account matters here.
    mutating func hear(of account: AccountID, at node: NodeID) -> Bool {
        guard isRunning(node), contains(account) else { return false }
        if readings > 0 { heardMeanwhile[node, default: []].insert(account) }
        return true
    }

    // MARK: Reading

    /// Takes the accounts that are to be read; nil if there are none. ``endReading()`` must follow.
    mutating func beginReading() -> Set<AccountID>? {
        if unread.isEmpty { return nil }
        defer { unread = [] }
        readings += 1
        return unread
    }

    /// Begins to read a whole node. ``endReading()`` must follow.
    mutating func beginReadingNode() { readings += 1 }

    /// Whether what was read of an account at a node matters, and the node has not told something newer.
    func isNewest(of account: AccountID, at node: NodeID) -> Bool {
        isRunning(node) && contains(account) && heardMeanwhile[node]?.contains(account) != true
    }

    /// Records that these accounts could not be read. The next reading has them again.
    mutating func putBack(_ accounts: Set<AccountID>) { unread.formUnion(accounts.filter { contains($0) }) }

    mutating func endReading() {
        readings -= 1
        if readings == 0 { heardMeanwhile = [:] }
    }
}
