import Kith
import KithModel

/// Judges what a device says of stores that it no longer shows, and of stores that end.
extension AccountsAuditor {
    /// The stores that are no longer shown and are still there, with something in them.
    private func hidden(_ before: DeviceContents, _ after: DeviceContents) -> [StoredAccount] {
        guard after.current != before.current else { return [] }
        return after.stores.filter { $0.scope == before.current && !$0.isEmpty }
    }

    /// What is wrong with what a call has announced; nil if that is just what it has put out of sight.
    func hidingFault(
        _ told: [HiddenStores], _ before: DeviceContents, _ after: DeviceContents, on device: AccountsDevice
    ) -> String? {
        let stores = told.flatMap(\.stores)
        if let fault = hidingFault(stores, before, after) { return "announced: \(fault)" }
        if let last = told.last, last.current != after.current {
            return "\(last.current) is announced as the current store, and it is \(after.current)"
        }
        guard after.current != before.current else { return nil }
        // What the device owes is known from what people did, not from what the device says of itself.
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

    /// What is wrong with what a call has returned as hidden.
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

    /// What is wrong with a store whose session somebody has ended for good: it is kept as it was, and says so.
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

    /// What is wrong with what is left of stores that somebody has dropped, and with what the call said they were.
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
    /// How much is in it.
    var amounts: String { "\(lists) lists, \(people) people, \(waiting) unsent edits and \(rejections) rejections" }
}
