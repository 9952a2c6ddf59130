import Kith
import KithModel

/// Everything that one device shows of its stores.
struct DeviceContents {
    let stores: [StoredAccount]
    private(set) var lists: [Wall: [SharedList]] = [:]
    private(set) var items: [Wall: [ListItem]] = [:]
    private(set) var rejections: [Wall: [Rejection]] = [:]
    let status: SyncStatus
    let account: AccountID?

    init(_ device: AccountsDevice) async throws {
        let client = device.client
        stores = try await client.accounts.all()
        for store in stores {
            let shown = try await client.lists.all(behind: store.wall)
            lists[store.wall] = shown
            for list in shown {
                items[store.wall, default: []] += try await client.lists.items(in: list.id, behind: store.wall)
            }
            rejections[store.wall] = try await client.rejections(behind: store.wall)
        }
        status = try await client.status()
        account = try await client.session.account()
    }

    var current: Wall { account.map(Wall.account) ?? .userless }

    func store(_ wall: Wall) -> StoredAccount? { stores.first { $0.wall == wall } }

    /// The stores that show a text as the name of a list or the title of an item.
    func walls(showing text: String) -> [Wall] {
        stores.map(\.wall).filter { wall in
            lists[wall, default: []].contains { $0.name == text }
                || items[wall, default: []].contains { $0.title == text }
        }
    }

    func isRejected(_ text: String) -> Bool {
        rejections.values.joined().contains { $0.values["name"]?.text == text || $0.values["title"]?.text == text }
    }

    /// The texts of a list in a store: its name, and its items' titles.
    func texts(in list: ListID, behind wall: Wall) -> [String] {
        lists[wall, default: []].filter { $0.id == list }.map(\.name)
            + items[wall, default: []].filter { $0.listID == list }.map(\.title)
    }

    /// The texts of every list in a store.
    func texts(behind wall: Wall) -> [String] {
        lists[wall, default: []].flatMap { texts(in: $0.id, behind: wall) }
    }

    /// The texts that go if a store is dropped: those that it shows, and those that nothing has but its rejections.
    func droppable(behind wall: Wall) -> [String] {
        let refused = rejections[wall, default: []].flatMap { [$0.values["name"]?.text, $0.values["title"]?.text] }
        return texts(behind: wall) + refused.compactMap(\.self).filter { walls(showing: $0).isEmpty }
    }
}
