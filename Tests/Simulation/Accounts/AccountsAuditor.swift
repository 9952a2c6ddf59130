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
        }
        let current = contents.stores.filter(\.isCurrent).map(\.scope)
        if current != [contents.current] { return "\(current) are said to be current, and it is \(contents.current)" }
        let others = contents.stores.filter { !$0.isCurrent && !$0.isEmpty }.map(\.scope)
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
}

extension SimulatedServer {
    /// The names of lists and the titles of items that an account can read.
    func texts(of account: AccountID) throws -> Set<String> {
        let all = try database.feeds(of: account).flatMap { try records(of: $0) }
        return Set(all.compactMap { ($0.fields["name"] ?? $0.fields["title"])?.text })
    }
}
