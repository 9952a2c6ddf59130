import KithModel
import Synchronization

/// The account for which a call or a command began: see ``Replica/forCurrentAccount(isExact:_:)``.
///
/// While the store waits for a session that opens by itself, the call also uses the account of the next session of this
/// process: a first session, one in place of an anonymous one that the server refuses, or that of a sign-in. It also uses a
/// first session that another process opens for the store. It uses no other account that the user or another process makes
/// the current one meanwhile.
final class CallAccount: Sendable {
    private let accepted: Mutex<Set<ReplicaAccount.Mark>>
    /// Whether the call reads one store only: no other account's, not even that of a session that replaces the account's own.
    let isExact: Bool
    /// The replica that the call was given to. Stores of other replicas have other numbers.
    let replica: ObjectIdentifier

    init(_ account: ReplicaAccount.Mark, of replica: Replica, isExact: Bool) {
        accepted = Mutex([account])
        self.isExact = isExact
        self.replica = ObjectIdentifier(replica)
    }

    /// Notes a change of the session by this process.
    func note(_ change: SessionChange) {
        if isExact || change.resets { return }
        accepted.withLock { accepted in
            guard accepted.contains(change.before.mark) else { return }
            accepted.insert(change.after.mark)
        }
    }

    /// Checks that the call may use the current account.
    ///
    /// - Throws: ``KithError`` with `refused` if it is another one.
    func check(_ account: ReplicaAccount) throws {
        let mark = account.mark
        let isAccepted = accepted.withLock { accepted in
            // A first session takes over the store, also one that another process opens.
            if accepted.contains(ReplicaAccount.Mark(key: mark.key, id: nil)) { accepted.insert(mark) }
            return accepted.contains(mark)
        }
        if !isAccepted { throw KithError.otherAccount }
    }
}

extension KithError {
    /// The error of a call for one account if another one is the current one by then.
    package static let otherAccount = KithError(
        .refused, "Another account became the current one meanwhile. Nothing was changed in it.")
}

extension SessionChange.Side {
    fileprivate var mark: ReplicaAccount.Mark { ReplicaAccount.Mark(key: store, id: account) }
}
