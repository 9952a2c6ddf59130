import Foundation
import KithCommand
import KithServer
import Processes
import Testing

@Suite("kith serve") struct ServeTests {
    let folder = Folder()

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
        #expect(run.status == 64)
        #expect(run.complaints.hasPrefix("kith serve: --\(name) is “”; "), "\(run.complaints)")
    }

    @Test("ignores empty variables, also the one of the configuration file") func emptyVariables() async throws {
        let names = ServerConfiguration.settings.map(\.variable) + ["KITH_SERVE_CONFIG"]
        let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
        let run = try await Program.built.run(["serve", "--port", "http"], in: folder, environment: environment)
        #expect(run.status == 64)
        #expect(run.complaints.hasPrefix("kith serve: --port is “http”; "), "\(run.complaints)")
    }

    /// The settings that may have any text.
    private static let anyText: Set = [
        "database", "discovery-key-file", "issuers-file", "smtp-password-file", "sms-secret-file", "templates",
        "service-name",
    ]

    @Test(
        "exits with 64 if settings of messages lack another, or their file cannot be used",
        arguments: [
            (["--smtp-url", "smtp://mail.example:587"], "mail-from"),
            (
                ["--smtp-url", "smtp://mail.example:587", "--mail-from", "kith@k.example"],
                "smtp-url needs public-url too"
            ),
            (["--smtp-user", "kith"], "smtp-url"), (["--sms-account", "AC1"], "sms-url"),
            (["--sms-url", "https://sms.example"], "sms-account"), (["--sms-countries", "AT"], "sms-url"),
            (["--sms-url", "files", "--sms-countries", "AT,XX"], "XX"), (["--templates", "not-there"], "--templates"),
            (
                [
                    "--smtp-url", "smtp://mail.example:587", "--mail-from", "kith@k.example", "--smtp-user", "kith",
                    "--smtp-password-file", "not-there",
                ], "smtp-password-file"
            ),
        ])
    func lacking(flags: [String], name: String) async throws {
        let place = ["--database", folder.file("kith.sqlite").path(), "--port", "0"]
        let run = try await Program.built.run(["serve"] + place + flags, in: folder)
        #expect(run.status == 64 && run.complaints.contains(name), "\(run.complaints)")
    }

    @Test(
        "exits with 64 for each invalid setting, as a flag and in the environment",
        arguments: ServerConfiguration.settings.filter { !anyText.contains($0.name) }.map { [$0.name, $0.variable] })
    func badSettings(names: [String]) async throws {
        let flag = try await Program.built.run(["serve", "--\(names[0])", "-1 /"], in: folder)
        #expect(flag.status == 64)
        #expect(flag.complaints.hasPrefix("kith serve: --\(names[0]) is “-1 /”; "), "\(flag.complaints)")
        let variable = try await Program.built.run(["serve"], in: folder, environment: [names[1]: "-1 /"])
        #expect(variable.status == 64)
        #expect(variable.complaints.hasPrefix("kith serve: \(names[1]) is “-1 /”; "), "\(variable.complaints)")
    }

    @Test("exits with 64 if a configuration file is unreadable, not JSON, or has an unknown key") func badFile()
        async throws
    {
        let files = [
            folder.file("nowhere.json").path(), try folder.write("port: 1", to: "yaml.json"),
            try folder.write(#"{"prot": 1}"#, to: "key.json"), try folder.write(#"{"port": true}"#, to: "type.json"),
        ]
        for file in files {
            let run = try await Program.built.run(["serve", "--config", file], in: folder)
            #expect(run.status == 64 && run.complaints.hasPrefix("kith serve: "), "\(file): \(run.complaints)")
        }
    }

    @Test("serves although nobody can read its output, and exits with 64 although nobody can read why")
    func closedOutput() async throws {
        func arguments(_ closing: String, _ arguments: String...) -> [String] {
            ["-c", "exec \"$0\" serve \"$@\" \(closing)", Program.built.url.path()] + arguments
        }
        let shell = URL(filePath: "/bin/sh")
        let wrong = try await Program(url: shell).run(arguments("2>&-", "--port", "abc"), in: folder)
        #expect(wrong.status == 64)
        let log = folder.file("server.log")
        let server = try await ChildProcess(
            shell, arguments(">&-", "--port", "0", "--database", folder.file("server.sqlite").path()), complaints: log)
        try await Limit("the server serves").until {
            try String(contentsOf: log, encoding: .utf8).contains("Serving.")
        }
        server.signal(SIGTERM)
        #expect(await server.ended() == 0)
    }

    @Test(
        "warns only if it listens beyond this machine without TLS", arguments: ["0.0.0.0", "127.0.0.1"])
    func warning(host: String) async throws {
        let log = folder.file("server.log")
        let server = try await ChildProcess(
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

    @Test("uses its database exclusively, and only its user can read it") func alone() async throws {
        let database = folder.file("server.sqlite").path()
        func serve(_ log: String) async throws -> ChildProcess {
            try await ChildProcess(
                Program.built.url, ["serve", "--port", "0", "--database", database], complaints: folder.file(log))
        }
        let first = try await serve("first.log")
        #expect(await first.lines.first { _ in true } != nil)
        let second = try await serve("second.log")
        #expect(await second.ended() == 1)
        let said = try String(contentsOf: folder.file("second.log"), encoding: .utf8)
        #expect(said.contains("Another kith serve or kith admin copy has \(database) open."))
        let rights = try FileManager.default.attributesOfItem(atPath: database)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        first.signal(SIGKILL)
        _ = await first.ended()
        // What is killed lets go.
        let third = try await serve("third.log")
        #expect(await third.lines.first { _ in true } != nil)
        third.signal(SIGTERM)
        #expect(await third.ended() == 0)
    }

    @Test("says why PostgreSQL cannot be used, as kith admin does, without the password") func noPostgres() async throws
    {
        let database = ["--database", "postgres://ada:secret@127.0.0.1:1/nothing"]
        let commands: [([String], Int32)] = [(["serve", "--port", "0"], 1), (["admin", "account", "list"], 75)]
        for (command, status) in commands {
            let run = try await Program.built.run(command + database, in: folder)
            #expect(run.status == status)
            #expect(run.complaints.contains("The database cannot be used: "), "\(run.complaints)")
            #expect(run.complaints.contains("port 1 failed: "), "\(run.complaints)")
            #expect(!run.complaints.contains("secret") && !run.complaints.contains("try again"))
        }
    }

    @Test("exits with 64 if the folder of the database does not exist") func noFolder() async throws {
        let database = folder.file("nowhere/x.sqlite").path()
        let run = try await Program.built.run(["serve", "--port", "0", "--database", database], in: folder)
        #expect(run.status == 64 && run.complaints.contains("Choose another --database."), "\(run.complaints)")
    }

    @Test("reports a port in use in one sentence") func portInUse() async throws {
        func serve(_ name: String, port: String) async throws -> ChildProcess {
            try await ChildProcess(
                Program.built.url, ["serve", "--port", port, "--database", folder.file("\(name).sqlite").path()],
                complaints: folder.file("\(name).log"))
        }
        let first = try await serve("first", port: "0")
        let line = try #require(await first.lines.first { _ in true })
        let second = try await serve("second", port: String(try #require(line.split(separator: ":").last)))
        #expect(await second.ended() == 1)
        let said = try String(contentsOf: folder.file("second.log"), encoding: .utf8)
        #expect(said.hasPrefix("kith serve: ") && said.count { $0 == "\n" } == 1, "\(said)")
        first.signal(SIGTERM)
        #expect(await first.ended() == 0)
    }

    @Test("Trap: the lock file cannot be opened, or the file has two names: two servers would use one database")
    func uncertainLock() async throws {
        let (locked, linked) = (folder.file("locked.sqlite"), folder.file("linked.sqlite"))
        try FileManager.default.createDirectory(
            at: folder.file("locked.sqlite.lock"), withIntermediateDirectories: true)
        try FileManager.default.linkItem(
            atPath: folder.write("", to: "other.sqlite"), toPath: linked.path())
        for (database, sentence) in [
            (locked, "locked.sqlite.lock cannot be opened, so another kith serve may have the database open."),
            (linked, "linked.sqlite has 2 names (hard links)."),
        ] {
            let run = try await Program.built.run(
                ["serve", "--port", "0", "--database", database.path()], in: folder)
            #expect(run.status == 64 && run.complaints.contains(sentence), "\(run.complaints)")
        }
    }

    @Test("reports an invalid host or database in one sentence") func badPlaces() async throws {
        let text = try folder.write("no database, but long enough to be taken for one", to: "notes.sqlite")
        let damaged = folder.file("damaged.sqlite")
        do { _ = try SQLiteDatabase(path: damaged.path()) }
        var bytes = try Data(contentsOf: damaged)
        // All pages after the first.
        bytes.replaceSubrange(4_096..., with: Data(repeating: 0xA5, count: bytes.count - 4_096))
        try bytes.write(to: damaged)
        for (arguments, status, sentence) in [
            (["--host", "nope.invalid"], 1, "nope.invalid is no name or address that is known here."),
            (["--database", text], 64, "is not a SQLite database."),
            (["--database", damaged.path()], 64, "damaged.sqlite is damaged. Move it aside, and restore a backup."),
            (["--database", folder.url.path()], 64, "cannot be opened for writing. Is it a file,"),
        ] as [([String], Int32, String)] {
            let log = folder.file("bad.log")
            let server = try await ChildProcess(
                Program.built.url,
                ["serve", "--port", "0", "--database", folder.file("bad.sqlite").path()] + arguments, complaints: log)
            #expect(await server.ended() == status)
            let said = try String(contentsOf: log, encoding: .utf8)
            #expect(said.contains(sentence), "\(said)")
        }
    }
}
