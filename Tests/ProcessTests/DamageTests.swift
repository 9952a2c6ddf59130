import Foundation
import Kith
import KithModel
import Processes
import Testing

@Suite("A replica's file that was damaged") struct DamageTests {
    @Test("It is moved aside and reported; what was unsent is saved, and the rest comes from the server")
    func somePagesAreDamaged() async throws {
        try await World.run(damageSomePages)
    }

    private func damageSomePages(_ world: World) async throws {
        let folder = world.folder.appending(path: "damaged", directoryHint: .isDirectory)
        try await join(world, folder)
        // Came from the server, so it stands in the pages of items and not in those of the outbox.
        try overwrite(pagesWith: "Sum 3", in: folder.appending(path: "kith.sqlite"))
        try await notice(world, folder)

        let client = try KithClient(KithConfiguration(server: world.server.url, storage: .directory(folder)))
        let aside = try #require(client.damagedReplica)
        #expect(FileManager.default.fileExists(atPath: aside.path()))
        let waiting = try await client.status().waiting
        #expect(waiting == 1)
        try await client.syncNow()
        let items = try await client.lists.items(in: world.list)
        #expect(items.count == World.sums + 1 && items.last?.title == "Unsent")
        #expect(items == (try await world.serverItems()))
    }

    @Test("A file that is not a database any more is moved aside and reported; the token restores everything")
    func nothingIsReadable() async throws {
        try await World.run(damageEverything)
    }

    private func damageEverything(_ world: World) async throws {
        let folder = world.folder.appending(path: "damaged", directoryHint: .isDirectory)
        let token = try await join(world, folder)
        let file = folder.appending(path: "kith.sqlite")
        let rubbish = Data("This is no database.".utf8)
        try rubbish.write(to: file)

        let client = try KithClient(KithConfiguration(server: world.server.url, storage: .directory(folder)))
        #expect(try Data(contentsOf: try #require(client.damagedReplica)) == rubbish)
        #expect(try await client.lists.all().isEmpty)
        _ = try await client.session.activate(token: token)
        try await client.syncNow()
        #expect(try await client.lists.items(in: world.list) == (try await world.serverItems()))
    }

    /// A device joins the list and leaves one edit unsent.
    @discardableResult
    private func join(_ world: World, _ folder: URL) async throws -> String {
        let client = try KithClient(KithConfiguration(server: world.server.url, storage: .directory(folder)))
        let list = try await client.lists.accept(link: world.link)
        try await client.syncNow()
        _ = try await client.lists.add("Unsent", to: list.id)
        return try #require(try await client.session.token())
    }

    /// The damage shows when the items are read.
    private func notice(_ world: World, _ folder: URL) async throws {
        let client = try KithClient(KithConfiguration(server: world.server.url, storage: .directory(folder)))
        #expect(client.damagedReplica == nil)
        let error = await #expect(throws: KithError.self) { try await client.lists.items(in: world.list) }
        #expect(error?.code == .replicaBroken)
    }

    private func overwrite(pagesWith text: String, in file: URL) throws {
        var data = try Data(contentsOf: file)
        let page = 4_096
        var overwritten = 0
        for start in stride(from: page, to: data.count, by: page) {
            let range = start..<min(start + page, data.count)
            guard data[range].range(of: Data(text.utf8)) != nil else { continue }
            data.replaceSubrange(range, with: Data(repeating: 0xFF, count: range.count))
            overwritten += 1
        }
        try #require(overwritten > 0)
        try data.write(to: file)
    }
}
