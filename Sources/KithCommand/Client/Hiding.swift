import Kith
import KithModel

/// Stores that are hidden because another store became current: their contents, and how to reach them.
struct Hiding: Sendable {
    let stores: [StoredAccount]
    /// The store that is now current.
    let current: AccountScope
    /// Whether the command ends the sessions of the stores. Their tokens then open nothing any more.
    let endsSessions: Bool

    init(stores: [StoredAccount], current: AccountScope, endsSessions: Bool = false) {
        (self.stores, self.current) = (stores.filter { !$0.isEmpty }, current)
        self.endsSessions = endsSessions
    }

    init(_ hidden: HiddenStores) { self.init(stores: hidden.stores, current: hidden.current) }

    /// The hidden contents, and how to see, send and move them.
    var sentences: [String] {
        stores.flatMap { store in
            let name = store.scope.typed
            var ways = ["To see it: \(store.showingCommands)"]
            if store.lists > 0 { ways.append("to move its lists here: \(store.scope.movingCommand)") }
            if store.canSend && store.waiting > 0 { ways.append("to send what waits: kith --account \(name) sync") }
            if store.needsSignIn && store.waiting > 0 {
                ways.append("to send what waits, \(SignInCommands.again)")
            }
            if store.lastRemoval != nil {
                ways.append("to put back what was removed last: kith --account \(name) undo")
            }
            if store.canSend || store.scope == .userless { ways.append("to go back: kith session use \(name)") }
            let what = "No longer shown: \(store.called), with \(store.contents). It stays on this device."
            return [what, "  " + ways.joined(separator: "; ")]
        }
    }

    /// The losses if the stores are dropped.
    var loss: String {
        let parts = stores.map { "\($0.called): \($0.contents)" }.joined(separator: "; ")
        return "Lost on this device, unsent edits for good: \(parts)."
    }
}
