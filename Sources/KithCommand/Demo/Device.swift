import Foundation
import Kith
import KithModel
import Synchronization

/// One device of the story: a real client on a folder of its own.
final class Device: Sendable {
    let client: KithClient
    private let running = Mutex<Task<Void, Never>?>(nil)

    init(server: URL, storage: KithConfiguration.Storage) throws {
        client = try KithClient(KithConfiguration(server: server, storage: storage))
    }

    var lists: Lists { client.lists }

    /// Syncs from now on, for as long as nobody says otherwise.
    func goOnline() {
        let client = client
        running.withLock { task in
            if task == nil { task = Task { await client.run() } }
        }
    }

    /// Stops syncing, as flight mode would. What is edited from now on waits on the device.
    func goOffline() async {
        let task = running.withLock { task in
            defer { task = nil }
            return task
        }
        task?.cancel()
        await task?.value
    }

    /// Waits until all edits are acknowledged and a round after them is complete.
    func catchUp() async throws {
        let client = client
        try await Limit("The device has caught up").wait { try await client.caughtUp() }
    }

    /// The first state of the list's items that `isRight`, as a live query tells it.
    func items(in list: ListID, _ sentence: String, until isRight: @escaping @Sendable ([ListItem]) -> Bool)
        async throws -> [ListItem]
    {
        let lists = lists
        let found = try await Limit(sentence).wait {
            for await items in lists.liveItems(in: list) where isRight(items) { return items }
            throw Failure(.failed, "demo", "The live query ended before this came true: \(sentence).")
        }
        return found
    }
}
