import Foundation
import KithCommand
import KithModel
import Processes
import Synchronization
import Testing

/// The built `kith`, run as a person or a script runs it: a process, its output, its exit code.
struct Program: Sendable {
    /// What a run came to.
    struct Run: Sendable {
        let status: Int32
        let output: String
        let complaints: String

        /// The one object that `--json` prints.
        var json: JSON { get throws { try JSON(parsing: output) } }
        /// The one object that an error with `--json` prints.
        var error: JSON { get throws { try JSON(parsing: complaints)["error"] } }

        /// The sentences that people read more than once in what it says.
        var repeatedSentences: [String] {
            let lines = (output + "\n" + complaints).split(separator: "\n").filter {
                !$0.hasPrefix("{") && !$0.contains(#/^[^ ]+:\d+: /#)
            }
            let sentences = lines.flatMap {
                $0.matches(of: /[A-Z“][^.?!]*(\w\.\w[^.?!]*)*[.?!](?= |$)/).map { String($0.output.0) }
            }
            let counts = Dictionary(grouping: sentences.filter { $0.split(separator: " ").count > 2 }) { $0 }
            return counts.filter { $0.value.count > 1 }.keys.sorted()
        }
    }

    let url: URL

    /// `kith` beside the bundle of the tests, where the build puts both.
    static let built = Program(
        url: URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "kith"))

    /// Runs to the end. `input` is what it reads from standard input.
    func run(
        _ arguments: [String], in folder: Folder, input: String = "", environment: [String: String] = [:]
    ) async throws -> Run {
        let typed = folder.file("in-\(UUID().uuidString)")
        try Data(input.utf8).write(to: typed)
        let finished = try await FinishedProcess(
            url, arguments, environment: folder.environment.merging(environment) { $1 }, input: typed)
        let run = Run(
            status: finished.status, output: String(decoding: finished.output, as: UTF8.self),
            complaints: String(decoding: finished.complaints, as: UTF8.self))
        // What the shells and the tests read of all commands is no output for people. A file of the user may repeat itself.
        let isForPeople = !arguments.contains {
            $0.hasPrefix("--generate") || $0.hasPrefix("--experimental") || $0 == "--source"
        }
        #expect(
            !isForPeople || run.repeatedSentences.isEmpty,
            "“\(arguments.joined(separator: " "))” says a sentence twice.")
        return run
    }
}

/// A temporary folder that a test works in. When the test is over, it is deleted, and its servers are killed.
final class Folder: Sendable {
    let url: URL
    private let servers = Mutex<[ServerProcess]>([])

    init() {
        url = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString)")
        do { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) } catch {
            Issue.record(error)
        }
    }

    deinit {
        servers.withLock { $0 = [] }
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) -> URL { url.appending(path: name) }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: file(name))
        return file(name).path()
    }

    /// Nothing of the environment of whoever runs the tests. Commands wait longer for servers, because the machine is busy.
    var environment: [String: String] {
        [
            "HOME": url.path(), "PATH": "/usr/bin:/bin", "TZ": "UTC", "KITH_DATA": file("data").path(),
            AnswerTimeout.variable: "120",
        ]
    }
}

/// One device: its data, and the server that it names, if any.
struct Device: Sendable {
    let folder: Folder
    let data: String
    let server: URL?

    init(_ folder: Folder, _ name: String, server: URL? = nil) {
        self.folder = folder
        self.data = folder.file(name).path()
        self.server = server
    }

    /// The options that name its data and its server.
    var options: [String] { ["--data", data] + (server.map { ["--server", $0.absoluteString] } ?? []) }

    /// Runs a command of this device.
    func run(_ arguments: String..., input: String = "") async throws -> Program.Run {
        try await run(arguments, input: input)
    }

    func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Program.Run {
        try await Program.built.run(options + arguments, in: folder, input: input, environment: environment)
    }

    /// Runs a command that must succeed, with `--json`.
    @discardableResult
    func json(_ arguments: String...) async throws -> JSON { try await json(arguments) }

    @discardableResult
    func json(_ arguments: [String]) async throws -> JSON {
        let run = try await run(["--json"] + arguments)
        try #require(run.status == 0, "\(arguments): \(run.complaints)")
        return try run.json
    }

    /// Starts a command that keeps running. `isPatient` says whether it waits as long for servers as the other commands of
    /// the tests.
    func start(_ arguments: String..., isPatient: Bool = false) async throws -> ChildProcess {
        try await ChildProcess(
            Program.built.url, arguments + options, environment: isPatient ? folder.environment : nil,
            complaints: folder.file("watch.log"))
    }

    /// The id of the current account.
    func account() async throws -> String { try #require(try await json("session")["account"].text) }

    /// The token of the current account's session.
    func token() async throws -> String { try #require(try await json("session", "--token")["token"].text) }

    /// The names of the lists, sorted, with these options.
    func listNames(_ options: String...) async throws -> [String] {
        try await json(options + ["lists"])["lists"].elements.compactMap { $0["name"].text }.sorted()
    }

    func titles(_ list: String) async throws -> [String] {
        try await json("items", list)["items"].elements.compactMap { $0["title"].text }
    }
}

/// What `--json` prints, read back.
typealias JSON = FieldValue

extension Shape {
    var json: JSON { get throws { try JSON(parsing: try line()) } }
}

extension JSON {
    init(parsing text: String) throws { self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }

    subscript(key: String) -> JSON { if case .object(let object) = self { object[key] ?? .null } else { .null } }
    var elements: [JSON] { if case .array(let array) = self { array } else { [] } }
    var keys: Set<String> { if case .object(let object) = self { Set(object.keys) } else { [] } }
}

extension Folder {
    /// Starts a server whose database is in this folder. It serves until the test is over.
    func server(_ name: String = "server", flags: [String] = []) async throws -> ServerProcess {
        let server = ServerProcess(
            Program.built.url, database: file("\(name).sqlite"), complaints: file("\(name).log"), flags: flags)
        servers.withLock { $0.append(server) }
        try await server.start()
        return server
    }

    /// The messages of the server in this folder.
    var outbox: Outbox { Outbox(of: file("server.sqlite")) }

    /// Runs a command of the operator on the database of the server in this folder.
    func admin(_ arguments: String...) async throws -> Program.Run { try await admin(arguments) }

    func admin(_ arguments: [String], input: String = "") async throws -> Program.Run {
        try await Program.built.run(
            ["admin"] + arguments + ["--database", file("server.sqlite").path()], in: self, input: input)
    }

    /// Adds a number or an email to an account of the server in this folder, as its operator.
    func addIdentity(_ identity: String, to account: String) async throws {
        let run = try await admin("identity", "add", identity, "--account", account)
        try #require(run.status == 0, "\(run.complaints)")
    }
}
