import Foundation
import Kith
import KithModel
import Processes
import Synchronization
import Testing

/// A real server and real clients, each in a process of its own, in a temporary folder.
final class World: Sendable {
    let folder: URL
    let server: ServerProcess
    /// Owns the list that the others edit; lives in the test's own process.
    let owner: KithClient
    let list: ListID
    /// Lets a device join the list as an editor.
    let link: String
    private let writers = Mutex<[Writer]>([])

    private init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "kith-processes-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        server = ServerProcess(
            Self.program("kith"), database: folder.appending(path: "server.sqlite"),
            complaints: folder.appending(path: "server.log"))
        try await server.start()
        owner = try KithClient(
            KithConfiguration(
                server: server.url, storage: .directory(folder.appending(path: "owner", directoryHint: .isDirectory))))
        list = try await owner.lists.create("Load").id
        for sum in 0..<World.sums { _ = try await owner.lists.add("Sum \(sum)", to: list) }
        try await owner.syncNow()
        let link = try await owner.lists.invite(to: list, as: .editor)
        self.link = try #require(link.url ?? link.token)
    }

    /// How many sums the writers share: as in KithLoad.
    static let sums = 10

    /// A program that was built beside these tests.
    static func program(_ name: String) -> URL {
        let running = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: running ?? CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
    }

    /// Starts a client in a process of its own, which joins the list and edits it until it is killed.
    func startWriter(_ name: String) async throws -> Writer {
        let writer = Writer(
            name, folder: folder.appending(path: name, directoryHint: .isDirectory), server: server.url, link: link,
            complaints: folder.appending(path: "\(name).log"))
        writers.withLock { $0.append(writer) }
        try await writer.start()
        return writer
    }

    /// The list as a device sees it that starts with nothing: what the server has.
    func serverItems() async throws -> [ListItem] {
        let fresh = try KithClient(KithConfiguration(server: server.url, storage: .inMemory))
        _ = try await fresh.session.activate(token: try #require(try await owner.session.token()))
        try await fresh.syncNow()
        return try await fresh.lists.items(in: list)
    }

    /// Does `work` in a new world, and ends all its processes, however that came out.
    ///
    /// The folder is taken away, but stays after an error, to be looked at.
    static func run(_ work: (World) async throws -> Void) async throws {
        let world = try await World()
        do {
            try await work(world)
            await world.end()
            try? FileManager.default.removeItem(at: world.folder)
        } catch {
            await world.end()
            print("What was left is in \(world.folder.path()).")
            throw error
        }
    }

    private func end() async {
        for writer in writers.withLock({ $0 }) { await writer.kill() }
        await server.kill()
    }
}

/// A client in a process of its own, `KithLoad join`, and what it has said so far.
final class Writer: Sendable {
    let name: String
    let folder: URL
    private let arguments: [String]
    private let complaints: URL
    private let state = Mutex(State())

    private struct State {
        var child: ChildProcess?
        /// Takes down what the child says.
        var listening: Task<Void, Never>?
        var heard = Heard()
    }

    /// What the process said, over all its lives.
    struct Heard: Hashable, Sendable {
        var edited = 0
        var acknowledged = 0
        var wrong: [String] = []

        mutating func take(_ line: String) {
            let words = line.split(separator: " ")
            guard let number = words.dropFirst().first.flatMap({ Int($0) }) else { return wrong.append(line) }
            switch words[0] {
            case "edited": edited = max(edited, number)
            case "acknowledged": acknowledged = max(acknowledged, number)
            case "resumed":
                if number < edited { wrong.append("\(line), but \(edited) was edited before the kill") }
            default: wrong.append(line)
            }
        }
    }

    init(_ name: String, folder: URL, server: URL, link: String, complaints: URL) {
        self.name = name
        self.folder = folder
        self.complaints = complaints
        arguments = ["join", server.absoluteString, folder.path(), link, name]
    }

    var heard: Heard { state.withLock { $0.heard } }

    /// Starts it; what it says is taken down from then on.
    func start() async throws {
        let child = try await ChildProcess(World.program("KithLoad"), arguments, complaints: complaints)
        let listening = Task {
            for await line in child.lines { state.withLock { $0.heard.take(line) } }
        }
        state.withLock { ($0.child, $0.listening) = (child, listening) }
    }

    /// Kills it, and takes down what it had said until then.
    func kill() async {
        let (child, listening) = state.withLock { ($0.child, $0.listening) }
        await child?.killed()
        await listening?.value
    }

    /// Waits until the server has acknowledged `count` more edits.
    func acknowledges(_ count: Int) async throws {
        let wanted = heard.acknowledged + count
        try await Limit("\(name) has \(wanted) edits acknowledged").until { [self] in
            if let wrong = heard.wrong.first { throw Wrong(sentence: "\(name): \(wrong)") }
            return heard.acknowledged >= wanted
        }
    }

    /// The same device, opened in this process once its own has been killed.
    func client(server: URL) throws -> KithClient {
        try KithClient(KithConfiguration(server: server, storage: .directory(folder)))
    }
}

struct Wrong: Error, CustomStringConvertible {
    let sentence: String
    var description: String { sentence }
}
