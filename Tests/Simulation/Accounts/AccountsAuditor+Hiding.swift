import Kith
import KithModel

/// Checks what a device reports about stores that became hidden, ended or were dropped.
extension AccountsAuditor {
    /// The non-empty stores that became hidden between `before` and `after`.
    private func hidden(_ before: DeviceContents, _ after: DeviceContents) -> [StoredAccount] {
        guard after.current != before.current else { return [] }
        return after.stores.filter { $0.scope == before.current && !$0.isEmpty }
    }

    /// The reason why the announced stores are wrong; nil if they are exactly those that the call has hidden.
    func hidingFault(
        _ told: [HiddenStores], _ before: DeviceContents, _ after: DeviceContents, on device: AccountsDevice
    ) -> String? {
        let stores = told.flatMap(\.stores)
        if let fault = hidingFault(stores, before, after) { return "announced: \(fault)" }
        if let last = told.last, last.current != after.current {
            return "\(last.current) is announced as the current store, and it is \(after.current)"
        }
        guard after.current != before.current else { return nil }
        // What the device must keep is known from people's actions, not from the device's own reports.
        for text in owed[device.index, default: [:]].keys.sorted() {
            let scopes = after.scopes(showing: text)
            guard before.scopes(showing: text).contains(before.current), !scopes.isEmpty,
                !scopes.contains(after.current)
            else { continue }
            if !stores.contains(where: { scopes.contains($0.scope) }) {
                return "“\(text)” is out of sight, in \(scopes), and nothing was announced that leads there"
            }
        }
        return nil
    }

    /// The reason why the stores that a call returned as hidden are wrong; nil if they are right.
    func hidingFault(in hidden: HiddenStores, _ before: DeviceContents, _ after: DeviceContents) -> String? {
        if let fault = hidingFault(hidden.stores, before, after) { return "returned: \(fault)" }
        if hidden.current != after.current {
            return "\(hidden.current) is returned as the current store, and it is \(after.current)"
        }
        return nil
    }

    private func hidingFault(_ told: [StoredAccount], _ before: DeviceContents, _ after: DeviceContents) -> String? {
        let hidden = hidden(before, after)
        if told.map(\.scope) != hidden.map(\.scope) {
            return "\(told.map(\.scope)) are said to be hidden, and \(hidden.map(\.scope)) are"
        }
        for (told, store) in zip(told, hidden) {
            if told.amounts != store.amounts {
                return "\(store.scope) is hidden with \(store.amounts), and said to have \(told.amounts)"
            }
            let lists = after.lists[store.scope, default: []].count
            if told.lists != lists {
                return "\(store.scope) is hidden with \(lists) lists, and said to have \(told.lists)"
            }
            let rejections = after.rejections[store.scope, default: []].count
            if told.rejections != rejections {
                return "\(store.scope) is hidden with \(rejections) rejections, and said to have \(told.rejections)"
            }
            if told != store { return "\(store) is hidden, and said to be \(told)" }
        }
        return nil
    }

    /// The reason why a store is wrong whose session was ended: its content must be unchanged, and its state must tell
    /// the end.
    func keepingFault(
        of scope: AccountScope, as state: SessionState, _ before: DeviceContents, _ after: DeviceContents
    ) -> String? {
        guard let old = before.store(scope), let new = after.store(scope) else { return "\(scope) is gone" }
        // An account that its server has deleted stays deleted.
        let state = old.state == .inactive ? .inactive : state
        if new.state != state || new.hasToken {
            return "the session of \(scope) is over, and it is \(new.state), token \(new.hasToken)"
        }
        if new.amounts != old.amounts { return "\(scope) had \(old.amounts), and has \(new.amounts)" }
        if after.texts(within: scope) != before.texts(within: scope) { return "\(scope) does not show what it showed" }
        return nil
    }

    /// The reason why the stores are wrong after some were dropped, or why the call's result is; nil if both are right.
    func droppingFault(
        of dropped: [StoredAccount], _ said: [StoredAccount], _ before: DeviceContents, _ after: DeviceContents
    ) -> String? {
        if said != dropped { return "\(dropped) were dropped, and said to be \(said)" }
        for store in dropped where !(after.store(store.scope)?.isEmpty ?? true) { return "\(store.scope) is not empty" }
        for store in before.stores where !dropped.contains(store) {
            guard let left = after.store(store.scope), left.amounts == store.amounts else {
                return "\(store.scope) had \(store.amounts), and was not to be dropped"
            }
        }
        let current = dropped.contains { $0.scope == before.current } ? .userless : before.current
        if after.current != current { return "\(after.current) is the current store, and \(current) should be" }
        return nil
    }
}

extension StoredAccount {
    /// The amounts of the store's content, for comparisons and messages.
    var amounts: String { "\(lists) lists, \(people) people, \(waiting) unsent edits and \(rejections) rejections" }
}
