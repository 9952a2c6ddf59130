import Kith
import KithModel

/// Everything that one device shows of its stores.
struct DeviceContents {
    let stores: [StoredAccount]
    private(set) var lists: [AccountScope: [SharedList]] = [:]
    private(set) var items: [AccountScope: [ListItem]] = [:]
    private(set) var rejections: [AccountScope: [Rejection]] = [:]
    /// The tables with rows that the user of a store could miss.
    private let filledTables: [AccountScope: Set<String>]
    let status: SyncStatus
    let account: AccountID?

    init(_ device: AccountsDevice) async throws {
        let client = device.client
        stores = try await client.accounts.all()
        for store in stores {
            let shown = try await client.lists.all(within: store.scope)
            lists[store.scope] = shown
            for list in shown {
                items[store.scope, default: []] += try await client.lists.items(in: list.id, within: store.scope)
            }
            rejections[store.scope] = try await client.rejections(within: store.scope)
        }
        filledTables = try device.filledTables()
        status = try await client.status()
        account = try await client.session.account()
    }

    var current: AccountScope { account.map(AccountScope.account) ?? .userless }

    func store(_ scope: AccountScope) -> StoredAccount? { stores.first { $0.scope == scope } }

    /// The names of what a store contains that its user could miss, as the database has it; empty for an empty store.
    func content(of scope: AccountScope) -> [String] {
        (lists[scope, default: []].isEmpty ? [] : ["list"]) + filledTables[scope, default: []].sorted()
    }

    func isEmpty(_ scope: AccountScope) -> Bool { content(of: scope).isEmpty }

    /// The stores that show a text as a list's name or an item's title.
    func scopes(showing text: String) -> [AccountScope] {
        stores.map(\.scope).filter { scope in
            lists[scope, default: []].contains { $0.name == text }
                || items[scope, default: []].contains { $0.title == text }
        }
    }

    func isRejected(_ text: String) -> Bool {
        rejections.values.joined().contains { $0.values["name"]?.text == text || $0.values["title"]?.text == text }
    }

    /// The texts of a list in a store: its name and its items' titles.
    func texts(in list: ListID, within scope: AccountScope) -> [String] {
        lists[scope, default: []].filter { $0.id == list }.map(\.name)
            + items[scope, default: []].filter { $0.listID == list }.map(\.title)
    }

    /// The texts of every list in a store.
    func texts(within scope: AccountScope) -> [String] {
        lists[scope, default: []].flatMap { texts(in: $0.id, within: scope) }
    }

    /// The texts that disappear if a store is dropped: those that it shows, and those that exist only in its
    /// rejections.
    func droppable(within scope: AccountScope) -> [String] {
        let refused = rejections[scope, default: []].flatMap { [$0.values["name"]?.text, $0.values["title"]?.text] }
        return texts(within: scope) + refused.compactMap(\.self).filter { scopes(showing: $0).isEmpty }
    }
}
