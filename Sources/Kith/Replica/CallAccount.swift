import KithModel
import Synchronization

/// The account of a call, or its session, while the user or another process can make another account the current one.
///
/// | kind | stays with | what fails for another one | code |
/// | --- | --- | --- | --- |
/// | `account` | the account | edits and requests | `refused` |
/// | `exactAccount` | the account, also if another one takes its place | reads, edits and requests | `refused` |
/// | `session` | the session | requests | `reset` |
///
/// A store without an account gets one with its first session, whichever process opens it: the call uses that account.
///
/// While a store waits for a session that opens by itself, the call also uses the account of the next session of this process:
/// a first session, one in place of an anonymous one that the server refuses, or that of a sign-in. An `exactAccount` does not.
/// A call that stays with the session also uses that of another process. Any other account that the user or another process
/// makes the current one is another account.
final class CallAccount: Sendable {
    /// What a call stays with.
    enum Kind: Sendable { case account, exactAccount, session }

    /// What a call does with the current account.
    enum Use: Sendable { case read, edit, request }

    private struct State {
        /// The store, its account and its session, as the call knows them.
        var side: SessionChange.Side
        /// Whether the session has ended, for a call that stays with it.
        var hasEnded = false
    }

    private let state: Mutex<State>
    let kind: Kind
    /// The replica that the call was given to. Stores of other replicas have other numbers.
    let replica: ObjectIdentifier

    init(_ kind: Kind, _ account: ReplicaAccount, of replica: Replica) {
        state = Mutex(State(side: account.side))
        self.kind = kind
        self.replica = ObjectIdentifier(replica)
    }

    /// Notes a change of the session by this process.
    func note(_ change: SessionChange) {
        state.withLock { state in
            // Another process can have made another account the current one before.
            if kind != .exactAccount && !change.resets && accepts(change.before, &state) {
                state.side = change.after
            } else if kind == .session {
                state.hasEnded = true
            }
        }
    }

    /// Checks that the call may use the current account. Another process can have changed it, which is found out only here.
    ///
    /// - Throws: ``KithError``: `refused` if it is another one; `reset` if the call stays with a session that has ended.
    func check(_ account: ReplicaAccount, for use: Use) throws {
        let isChecked =
            switch kind {
            case .account: use != .read
            case .exactAccount: true
            case .session: use == .request
            }
        guard isChecked, !state.withLock({ state in accepts(account.side, &state) }) else { return }
        throw kind == .session ? KithError.endedSession : KithError.otherAccount
    }

    /// Whether the call may use an account that is the current one now. If so, it knows it from now on.
    private func accepts(_ now: SessionChange.Side, _ state: inout State) -> Bool {
        let known = state.side
        let isSame = now.store == known.store && now.account == known.account
        let isAccepted =
            switch kind {
            // A first session takes over the store.
            case .account, .exactAccount: isSame || (now.store == known.store && known.account == nil)
            // The store of another account can have the number of a store that was dropped.
            case .session:
                !state.hasEnded && (isSame || known.state == .initial)
                    && (now == known || !SessionChange(before: known, after: now).resets)
            }
        if isAccepted { state.side = now }
        return isAccepted
    }
}

extension [CallAccount] {
    /// Checks that each of the calls may use the current account, the outermost first.
    func check(_ account: ReplicaAccount, for use: CallAccount.Use) throws {
        for call in self { try call.check(account, for: use) }
    }
}

extension KithError {
    /// The error of a call for one account if another one is the current one by then.
    package static let otherAccount = KithError(
        .refused, "Another account became the current one meanwhile. Nothing was changed in it.")

    /// The error of a call for one session if it has ended by then.
    fileprivate static let endedSession = KithError(
        .reset, "The session has ended, so nothing more was sent. Sign in, and look at what was done.")
}
