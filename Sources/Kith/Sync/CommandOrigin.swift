import KithModel
import Synchronization

/// The store and the session for which a command was given. It follows the session: if the server refuses the token of an
/// anonymous account, the command continues with the session that replaces it.
final class CommandOrigin: Sendable {
    private struct State {
        var side: SessionChange.Side
        var hasEnded = false
    }

    private let state: Mutex<State>
    /// The gate of the client that the command was given to. Stores of other clients have other numbers.
    let gate: ObjectIdentifier

    init(_ account: ReplicaAccount, at gate: CommandGate) {
        state = Mutex(State(side: account.side))
        self.gate = ObjectIdentifier(gate)
    }

    /// Notes a change of the session by this process.
    func note(_ change: SessionChange) {
        state.withLock { state in
            state.hasEnded = state.hasEnded || change.resets
            state.side = change.after
        }
    }

    /// Whether the command may use the current account. Another process can have changed it, which is noted only here.
    func accepts(_ account: ReplicaAccount) -> Bool {
        let now = account.side
        return state.withLock { state in
            // The store of another account can have the number of a store that was dropped.
            let isAnother = state.side.account != now.account && state.side.state != .initial
            let isSame = now == state.side || !(isAnother || SessionChange(before: state.side, after: now).resets)
            guard isSame, !state.hasEnded else { return false }
            state.side = now
            return true
        }
    }
}
