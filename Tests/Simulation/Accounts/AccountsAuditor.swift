import Foundation
import Kith
import KithDiscovery
import KithModel

/// Checks law 13 (nothing stranded) and the walls between the stores of a device.
///
/// Content that was created on a device or moved by it must stay visible in some store of the device, until its user
/// removes or drops it, or the server refuses it.
final class AccountsAuditor {
    /// The texts that each device must still show, with the list of each.
    private(set) var owed: [Int: [String: ListID]] = [:]
    /// The picture that was last set in each store of a device, unless another device has set one since. Empty if it
    /// was removed.
    private(set) var pictures: [Int: [AccountScope: Data]] = [:]
    /// The matches that each store of a device has found.
    private(set) var matches: [Int: [AccountScope: Set<Discovery.Match>]] = [:]
    /// The accounts in which a text may be visible; nil is the userless store.
    private var homes: [String: Set<AccountID?>] = [:]

    // MARK: Reports from the world

    func made(_ text: String, in list: ListID, of account: AccountID?, on device: Int) {
        owed[device, default: [:]][text] = list
        homes[text, default: []].insert(account)
    }

    /// These texts were removed for everyone.
    func removed(_ texts: [String]) {
        for device in owed.keys { for text in texts { owed[device]?[text] = nil } }
    }

    /// A list was removed with its whole content, including content that the removing device does not have.
    func removed(_ list: ListID) {
        for device in owed.keys { owed[device] = owed[device]?.filter { $0.value != list } }
    }

    /// These texts were dropped with a store of one device.
    func dropped(_ texts: [String], on device: Int) {
        for text in texts { owed[device]?[text] = nil }
    }

    /// Everything on a device was dropped, so nothing has to be visible there.
    func droppedEverything(on device: Int) { (owed[device], pictures[device], matches[device]) = (nil, nil, nil) }

    /// A store of one device was dropped with its picture and matches.
    func dropped(_ scope: AccountScope, on device: Int) {
        pictures[device]?[scope] = nil
        matches[device]?[scope] = nil
    }

    /// A picture was set or removed. The account's other devices show it only after they have synced.
    func pictured(_ bytes: Data, in scope: AccountScope, on device: Int) {
        if scope != .userless { for other in pictures.keys { pictures[other]?[scope] = nil } }
        pictures[device, default: [:]][scope] = bytes
    }

    func found(_ found: [Discovery.Match], in scope: AccountScope, on device: Int) {
        matches[device, default: [:]][scope, default: []].formUnion(found)
    }

    /// A device has moved the visible content of a list to another store, perhaps under another identity.
    func moved(_ texts: [String], to list: ListID, of account: AccountID?, on device: Int) {
        for text in texts { made(text, in: list, of: account, on: device) }
    }

    /// The content of one store of a device now belongs to a new account.
    func adopted(_ texts: [String], by account: AccountID) {
        for text in texts { homes[text, default: []].insert(account) }
    }

    /// A store now belongs to a new account, including its picture and matches.
    func adopted(_ scope: AccountScope, by account: AccountID, on device: Int) {
        if let picture = pictures[device]?.removeValue(forKey: scope) {
            pictures[device]?[.account(account)] = picture
        }
        if let found = matches[device]?.removeValue(forKey: scope) { matches[device]?[.account(account)] = found }
    }

    // MARK: Checking

    /// The first violation of a law in what a device shows; nil if there is none.
    func fault(in contents: DeviceContents, of device: AccountsDevice, _ internet: SimulatedInternet) -> String? {
        countFault(in: contents) ?? statusFault(in: contents) ?? strandedFault(in: contents, of: device)
            ?? wallFault(in: contents) ?? sessionFault(in: contents, internet)
            ?? sentFault(in: contents, of: device, internet)
    }

    /// Each store must report the right amounts, and the status must list the other stores.
    private func countFault(in contents: DeviceContents) -> String? {
        for store in contents.stores {
            let (lists, rejections) = (
                contents.lists[store.scope, default: []], contents.rejections[store.scope, default: []]
            )
            if store.lists != lists.count { return "\(store.scope) has \(lists.count) lists and says \(store.lists)" }
            if store.rejections != rejections.count {
                return "\(store.scope) has \(rejections.count) rejections and says \(store.rejections)"
            }
            if store.isEmpty != contents.isEmpty(store.scope) {
                return "\(store.scope) has \(contents.content(of: store.scope)) and says \(store.amounts)"
            }
        }
        let current = contents.stores.filter(\.isCurrent).map(\.scope)
        if current != [contents.current] { return "\(current) are said to be current, and it is \(contents.current)" }
        let others = contents.stores.filter { !$0.isCurrent && !contents.isEmpty($0.scope) }.map(\.scope)
        let told = contents.status.otherStores.map(\.scope)
        if told != others { return "the status names \(told) besides the current store, and there are \(others)" }
        let unsent = contents.stores.filter { !$0.isCurrent && $0.waiting > 0 }.map(\.scope)
        if contents.status.unsentElsewhere.map(\.scope) != unsent {
            return "the status does not name \(unsent), which have unsent edits"
        }
        return nil
    }

    /// The status must be that of the current store.
    private func statusFault(in contents: DeviceContents) -> String? {
        let status = contents.status
        if status.account != contents.account {
            return "the status is that of \(String(describing: status.account)), and \(contents.current) is current"
        }
        guard let store = contents.store(contents.current) else {
            return "\(contents.current) is current and not there"
        }
        let told = (
            status.session, status.waiting, status.oldestWaiting, status.rejections, status.server, status.address
        )
        let own = (store.state, store.waiting, store.oldestWaiting, store.rejections, store.server, store.address)
        return told == own ? nil : "the status says \(told), and \(store.scope) has \(own)"
    }

    private func strandedFault(in contents: DeviceContents, of device: AccountsDevice) -> String? {
        for text in owed[device.index, default: [:]].keys.sorted() {
            if contents.scopes(showing: text).isEmpty && !contents.isRejected(text) {
                return "“\(text)” is in no store of \(device.name), and nobody removed or refused it"
            }
        }
        return nil
    }

    private func wallFault(in contents: DeviceContents) -> String? {
        for text in homes.keys.sorted() {
            for case .account(let account) in contents.scopes(showing: text)
            where !(homes[text]?.contains(account) ?? false) {
                return "“\(text)” shows in \(account), where nobody has made or moved it"
            }
            if contents.scopes(showing: text).contains(.userless) && !(homes[text]?.contains(nil) ?? false) {
                return "“\(text)” shows in the store without an account, where nobody has made or moved it"
            }
        }
        return nil
    }

    /// A session may end only through its own server or its user.
    private func sessionFault(in contents: DeviceContents, _ internet: SimulatedInternet) -> String? {
        for store in contents.stores {
            guard let account = store.account, !internet.ended.contains(account) else { continue }
            if [.invalidToken, .inactive, .initial, .loggedOut].contains(store.state) || !store.hasToken {
                return "the session of \(account) is \(store.state), token \(store.hasToken), and nobody has ended it"
            }
        }
        return nil
    }

    /// If no edits wait, the server must have everything.
    private func sentFault(
        in contents: DeviceContents, of device: AccountsDevice, _ internet: SimulatedInternet
    ) -> String? {
        for store in contents.stores where store.waiting == 0 {
            guard let account = store.account, let home = internet.home(of: account) else { continue }
            let server = internet.servers[home]
            guard !server.wasRestored, (try? server.hasAccount(account)) ?? false else { continue }
            let known = (try? server.texts(of: account)) ?? []
            for (text, list) in owed[device.index, default: [:]].sorted(by: { $0.key < $1.key })
            where contents.texts(in: list, within: store.scope).contains(text) && !known.contains(text) {
                return "\(store.scope) has nothing unsent, and \(server.name) does not have “\(text)”"
            }
        }
        return nil
    }

    // MARK: Hidden, ended and dropped stores

    /// The non-empty stores that became hidden between `before` and `after`.
    private func hidden(_ before: DeviceContents, _ after: DeviceContents) -> [StoredAccount] {
        guard after.current != before.current else { return [] }
        return after.stores.filter { $0.scope == before.current && !after.isEmpty($0.scope) }
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
        for store in dropped where !after.isEmpty(store.scope) { return "\(store.scope) is not empty" }
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

extension SimulatedServer {
    /// The names of lists and the titles of items that an account can read.
    func texts(of account: AccountID) throws -> Set<String> {
        let all = try database.feeds(of: account).flatMap { try records(of: $0) }
        return Set(all.compactMap { ($0.fields["name"] ?? $0.fields["title"])?.text })
    }
}

extension StoredAccount {
    /// The amounts of the store's content, for comparisons and messages.
    var amounts: String {
        let parts = records.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }
        return (parts + ["\(waiting) unsent edits and \(rejections) rejections"]).joined(separator: ", ")
    }
}
