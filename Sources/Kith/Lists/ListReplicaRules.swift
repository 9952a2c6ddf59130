import KithModel

/// The rules for lists. A list creates its feed, and losing the list means losing the feed.
struct ListReplicaRules: ReplicaRules {
    let schema = SharedList.schema
    let content = StoreContent.some { try SharedList.count(in: $0.store) }

    func title(of fields: Fields) -> String? { fields["name"]?.text }
    func feedLost(with key: RecordKey) -> FeedID? { key.list.retyped() }

    /// Moves my own lists that have unsent edits, and that nobody else is in. The server has a part of most of them, so
    /// they are copied.
    func moveUnsent(_ move: UnsentMove) throws {
        // The user has decided about each list.
        if move.isDecided { return }
        let (transaction, old) = (move.transaction, move.old)
        let edits = try move.oldStore.outbox.unsent().filter(\.key.isAboutList)
        let unsent = Set(edits.map(\.key.list))
        let lists = try SharedList.fetchAll(in: move.oldStore)
            .filter { $0.role == .owner && $0.access == .private && unsent.contains($0.id) }
        let moved = try ListMove(from: old, to: move.new, in: transaction).move(lists.map(\.id))
        for (list, new) in moved { move.feeds[list.retyped()] = new.retyped() }
    }

    func remake(_ key: RecordKey, in transaction: ReplicaTransaction) throws -> Bool {
        try ListMove(from: transaction.account, to: transaction.account, in: transaction).remake(key.list)
    }

    func purge(in transaction: ReplicaTransaction) throws {
        // The entries have the device's time. A clock that is ahead for a while must not delete them.
        let now = transaction.answerTime.map { min($0, transaction.now) } ?? transaction.now
        try RemovedIdentities(transaction.store).purge(at: now)
    }
}
