import Foundation
import KithCommand
import KithServer
import Testing

@Suite("kith serve") struct ServeTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
    }

    @Test("shows every setting in its help, with its variable") func help() async throws {
        let help = try await Program.built.run(["serve", "--help"], in: folder)
        #expect(help.status == 0)
        let words = Set(help.output.split(whereSeparator: \.isWhitespace))
        #expect(ServerConfiguration.settings.count >= 15)
        for setting in ServerConfiguration.settings {
            #expect(words.contains("--\(setting.name)"), "\(setting.name)")
            #expect(words.contains("[\(setting.variable)]"), "\(setting.name)")
        }
        #expect(words.isSuperset(of: ["--config", "[KITH_SERVE_CONFIG]", "--new-epoch"]))
    }

    @Test("takes every setting as a flag", arguments: ServerConfiguration.settings.map(\.name)) func flags(name: String)
        async throws
    {
        // Empty is no value for any of them, so the server does not start.
        let run = try await Program.built.run(["serve", "--\(name)", ""], in: folder)
        #expect(run.status == 1)
        #expect(run.complaints.hasPrefix("kith serve: --\(name) is “”; "), "\(run.complaints)")
    }

    @Test(
        "warns that it listens beyond this machine without TLS, and else does not", arguments: ["0.0.0.0", "127.0.0.1"])
    func warning(host: String) async throws {
        let log = folder.file("server.log")
        let server = try ChildProcess(
            Program.built.url,
            ["serve", "--host", host, "--port", "0", "--database", folder.file("server.sqlite").path()], complaints: log
        )
        let first = await server.lines.first { _ in true }
        #expect(first?.hasPrefix("Kith serves at http://\(host):") == true)
        server.signal(SIGTERM)
        #expect(await server.ended() == 0)
        let said = try String(contentsOf: log, encoding: .utf8)
        #expect(said.contains("Listening beyond this machine without TLS") == (host == "0.0.0.0"))
    }

    @Test("is alone with its database, which only its user can read") func alone() async throws {
        let database = folder.file("server.sqlite").path()
        func serve(_ log: String) throws -> ChildProcess {
            try ChildProcess(
                Program.built.url, ["serve", "--port", "0", "--database", database], complaints: folder.file(log))
        }
        let first = try serve("first.log")
        #expect(await first.lines.first { _ in true } != nil)
        let second = try serve("second.log")
        #expect(await second.ended() == 1)
        let said = try String(contentsOf: folder.file("second.log"), encoding: .utf8)
        #expect(said.contains("Another kith serve has \(database) open."))
        let rights = try FileManager.default.attributesOfItem(atPath: database)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        first.signal(SIGKILL)
        _ = await first.ended()
        // What is killed lets go.
        let third = try serve("third.log")
        #expect(await third.lines.first { _ in true } != nil)
        third.signal(SIGTERM)
        #expect(await third.ended() == 0)
    }

    @Test("says in a sentence what is wrong with a host or a database") func badPlaces() async throws {
        let text = try folder.write("no database, but long enough to be taken for one", to: "notes.sqlite")
        for (arguments, sentence) in [
            (["--host", "nope.invalid"], "nope.invalid is no name or address that is known here."),
            (["--database", text], "is not a SQLite database."),
        ] {
            let log = folder.file("bad.log")
            let server = try ChildProcess(
                Program.built.url,
                ["serve", "--port", "0", "--database", folder.file("bad.sqlite").path()] + arguments, complaints: log)
            #expect(await server.ended() == 1)
            #expect(try String(contentsOf: log, encoding: .utf8).contains(sentence))
        }
    }
}
