import GRDB
import Kith
import KithModel
import KithServer
import Simulation
import Testing

@Suite("Replicas of earlier versions") struct UpgradeTests {
    @Test(
        "Law 12: A replica of any earlier version keeps its content, waiting edits and rejections; waiting edits are sent"
    )
    func earlierVersions() async throws {
        for version in try ReplicaDowngrade.versions() { try await upgrade(from: version) }
    }

    private func upgrade(from version: Int) async throws {
        let start = Timestamp(milliseconds: 1_790_000_000_000)
        let server = try SimulatedServer(name: "server", version: .newest, seed: 1)
        let device = try SimulatedDevice(
            name: "phone", queue: DatabaseQueue(), version: .newest, time: start, seed: 2)
        let account = try server.openAccount(at: start).account
        try device.replica.writeNow { try $0.adopt(account) }
        func round() async throws {
            let request = try #require(try device.rounds.begin())
            let answer = try await server.sync(request, as: account, at: start).answer
            _ = try device.rounds.finish(request, answer)
        }
        let (list, gone) = try device.replica.writeNow { transaction in
            let changes = Changes(transaction, isGroup: false)
            let list = try changes.create("Groceries")
            return (list.id, try changes.add("Milk", to: list.id))
        }
        try await round()
        // Another device removes the item while this one renames it.
        try await server.remove(gone.id, from: list, by: account, at: start)
        try device.replica.writeNow { transaction in
            var item = gone
            item.title = "Oat milk"
            try Changes(transaction, isGroup: false).update(item)
        }
        try await round()
        // One edit is in flight, and one waits.
        try device.replica.writeNow { _ = try Changes($0, isGroup: false).add("Tea", to: list) }
        _ = try device.rounds.begin()
        try device.replica.writeNow { _ = try Changes($0, isGroup: false).add("Cake", to: list) }
        let before = try device.replica.content()
        #expect(before.waiting == 2)
        #expect(before.rejections.map(\.values) == [["title": "Oat milk"]])

        try ReplicaDowngrade.apply(to: device.queue, version: version)
        try device.restart()

        let after = try device.replica.content()
        #expect(after.lists == before.lists, "version \(version)")
        #expect(after.items == before.items)
        #expect(after.waiting == before.waiting)
        #expect(after.rejections.map(\.values) == before.rejections.map(\.values))
        try await round()
        #expect(try device.replica.content().waiting == 0)
        #expect(try Set(server.records(of: list.retyped()).compactMap { $0.fields["title"]?.text }) == ["Tea", "Cake"])
    }
}

extension SimulatedServer {
    /// Removes an item as another device of the account would.
    fileprivate func remove(_ item: ItemID, from list: ListID, by account: AccountID, at now: Timestamp) async throws {
        var random = SplitMix64(seed: 3)
        let device = DeviceID(.version7(time: now, using: &random))
        let mutation = Mutation(
            id: MutationID(.version7(time: now, using: &random)), number: 1, feed: list.retyped(), collection: .items,
            record: item.retyped(), seen: 1_000, change: .delete)
        let request = SyncRequest(
            account: account, device: device, acknowledged: .none, sent: 1, mutations: [mutation], token: nil)
        _ = try await sync(request, as: account, at: now)
    }
}
