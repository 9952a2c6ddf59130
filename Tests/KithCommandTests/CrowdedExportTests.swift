import Foundation
import Kith
import KithModel
import Synchronization
import Testing

@Suite("Exporting an account from a server that answers too late, or not at all") struct CrowdedExportTests {
    @Test("An export waits as long as the server asks for, and then has everything") func waits() async throws {
        try await DiscoveryWorld.run { world in
            let line = CrowdedLine(to: world.server, failures: [429, 429])
            let client = try await line.client(world)
            let export = try await client.export(to: world.folder.file("account.zip"))
            #expect(export.missingReason == nil)
            #expect(line.pauses == [.seconds(7), .seconds(7)])
        }
    }

    @Test("An export says so if the links of a list are missing") func missing() async throws {
        try await DiscoveryWorld.run { world in
            let line = CrowdedLine(to: world.server, failures: [500])
            let client = try await line.client(world)
            let export = try await client.export(to: world.folder.file("account.zip"))
            #expect(export.missingReason == "The server answered with status 500.")
            #expect(export.lists == 1)
        }
    }

    @Test("An export deletes what one that was killed has left, but no file of one that runs") func abandoned()
        async throws
    {
        let folder = Folder()
        let names = [UUID(), UUID()].map { ".account.zip.\($0.uuidString)" } + [".account.zip.notes", ".other.zip.1"]
        for name in names { _ = try folder.write("data", to: name) }
        let running = try FileHandle(forUpdating: folder.file(names[1]))
        try #require(flock(running.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        _ = try await KithClient.inMemory().export(to: folder.file("account.zip"))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path())
        #expect(Set(left) == Set(names.dropFirst() + ["account.zip"]))
        try running.close()
    }

    @Test("An export replaces no folder and no pipe, and writes to the target of a link") func specialFiles()
        async throws
    {
        try await DiscoveryWorld.run { world in
            let client = try await CrowdedLine(to: world.server, failures: []).client(world)
            let (pipe, link, target) = (
                world.folder.file("pipe"), world.folder.file("link.zip"), world.folder.file("target.zip")
            )
            try #require(mkfifo(pipe.path(), 0o600) == 0)
            await #expect(throws: KithError.self) { try await client.export(to: pipe) }
            try Data("old".utf8).write(to: target)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            _ = try await client.export(to: link)
            #expect(try Data(contentsOf: target).starts(with: Data("PK".utf8)))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path()) == target.path())
        }
    }
}

/// A way to a server that refuses the first requests for the links of a list.
private final class CrowdedLine: Transport {
    private let transport: any Transport
    /// The statuses of the refusals.
    private let failures: Mutex<ArraySlice<Int>>
    private let paused = Mutex<[Duration]>([])

    init(to server: URL, failures: [Int]) {
        transport = SystemTransport(patient: server)
        self.failures = Mutex(failures[...])
    }

    /// The pauses that the client has made.
    var pauses: [Duration] { paused.withLock { $0 } }

    /// A client with one list that is shared by a link.
    func client(_ world: DiscoveryWorld) async throws -> KithClient {
        var configuration = KithConfiguration(storage: .inMemory)
        configuration.transport = self
        configuration.credentials = InMemoryCredentialStore()
        configuration.postsNotifications = false
        let clock = world.clock
        configuration.dependencies = Dependencies(
            now: { clock.now }, random: RandomSource(SplitMix64(seed: 4)),
            pause: { pause in self.paused.withLock { $0.append(pause) } })
        let client = try KithClient(configuration)
        let list = try await client.lists.create("Groceries")
        try await client.syncNow()
        _ = try await client.lists.invite(to: list.id, as: .editor)
        return client
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if request.method == "GET", request.path.hasSuffix("/links"), let status = failures.withLock({ $0.popFirst() })
        {
            return TransportResponse(status: status, retryAfter: status == 429 ? 7 : nil, body: Data("{}".utf8))
        }
        return try await transport.send(request)
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        transport.events(request)
    }
}
