/// The matches of one account, as they are at one moment.
package struct FoundMatches: Hashable, Sendable {
    package let account: ReplicaAccount.Mark
    package let matches: [Match]
}

extension Replica {
    /// The matches of the current account, now and after each change.
    package func foundMatches() -> AsyncStream<FoundMatches> {
        live { FoundMatches(account: $0.account.mark, matches: try Match.fetchAll(in: $0.store)) }
    }
}
