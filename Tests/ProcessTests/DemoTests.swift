import Foundation
import Processes
import Testing

@Suite("The demonstration", .timeLimit(.minutes(15))) struct DemoTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "kith-demo-\(UUID().uuidString)", directoryHint: .isDirectory)

    private var complaints: URL { folder.appending(path: "complaints.log") }

    private func start(_ arguments: String...) async throws -> ChildProcess {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try await ChildProcess(World.program("Demo"), arguments, complaints: complaints)
    }

    private func finish(_ demo: ChildProcess) async -> (status: Int32, lines: [String]) {
        var lines: [String] = []
        for await line in demo.lines { lines.append(line) }
        return (await demo.ended(), lines)
    }

    @Test("Runs to its end, twice in the same folder, and leaves the devices' data there")
    func toTheEnd() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = folder.appending(path: "data")
        for _ in 1...2 {
            // It starts its server several times, at the same port.
            let port = String(try FreePort.find())
            let (status, lines) = try await finish(start("--data", data.path(), "--port", port))
            #expect(status == 0, "\(lines.joined(separator: "\n"))")
            #expect(lines.last == "The end: every line above was done, and read back.")
            let equal = lines.compactMap { $0.firstMatch(of: /([0-9]+) of ([0-9]+) items are equal/) }
            #expect(equal.count == 1 && equal.allSatisfy { $0.1 == "201" && $0.2 == "201" })
            #expect(lines.contains { $0.contains("302 cards as ") })
            #expect(lines.filter { $0.contains("has it ") }.count == 2)
            #expect(lines.contains { $0.contains("mail    To: ben@example.com") })
            #expect(lines.filter { $0.contains("shows that Ben has accepted") }.count == 2)
            #expect(lines.filter { $0.contains("has “A week of tea”") }.count == 3)
            #expect(lines.contains { $0.firstMatch(of: /Mia +opens http:.*\/s\/ADA-TEA\?c=message$/) != nil })
            for step in ["shared", "visited", "joined", "rewarded"] {
                #expect(lines.contains { $0.firstMatch(of: /^([a-z]+) +1  █/)?.1 == step[...] }, "\(step)")
            }
            #expect(!lines.contains { $0.contains("\u{1B}") }, "What is no terminal gets no colours.")
            for name in [
                "finished", "phone/kith.sqlite", "tablet/kith.sqlite", "server.sqlite", "address-books/gmail.vcf",
                "address-books/khard", "people/zoe/kith.sqlite", "people/lukasz/kith.sqlite",
                "people/lucia/kith.sqlite", "people/ada/kith.sqlite", "people/ada-tablet/kith.sqlite",
                "people/ben/kith.sqlite", "people/mia/kith.sqlite", "programme.json", "pages",
            ] {
                #expect(FileManager.default.fileExists(atPath: data.appending(path: name).path()), "\(name)")
            }
            let pages = try String(contentsOf: data.appending(path: "pages"), encoding: .utf8)
            for path in ["/s/ADA-TEA", "/v1/public/", "/sign-in?share=ADA-TEA", "/v1/links/", "/account", "/admin"] {
                #expect(pages.split(separator: "\n").contains { $0.hasPrefix(path) }, "\(path)")
            }
        }
    }

    @Test("Ends with a message and a code when something goes wrong, and keeps the data")
    func badEnd() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        // Its server cannot start: another has the port.
        try await World.run { world in
            let data = folder.appending(path: "data")
            let (status, lines) = try await finish(
                start("--data", data.path(), "--port", "\(world.server.url.port ?? 0)"))
            #expect(status == 1)
            #expect(lines.last == "What the devices and the server have is kept in \(data.path())/")
            #expect(try String(contentsOf: complaints, encoding: .utf8).contains("The server did not start."))
            #expect(FileManager.default.fileExists(atPath: data.appending(path: "server.log").path()))
            #expect(!FileManager.default.fileExists(atPath: data.appending(path: "finished").path()))
        }
    }

    @Test("Ends with its server when it is interrupted", arguments: [SIGINT, SIGTERM])
    func interruption(signal: Int32) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let demo = try await start("--data", folder.appending(path: "data").path())
        var server: Int32?
        for await line in demo.lines {
            server = line.firstMatch(of: /serves at .* as process ([0-9]+)/).flatMap { Int32($0.1) }
            if server != nil { break }
        }
        let id = try #require(server)
        demo.signal(signal)
        #expect(await demo.ended() == 130)
        #expect(kill(id, 0) == -1 && errno == ESRCH, "The server has ended, too.")
    }

    @Test("Does not touch a folder with other content")
    func otherPeoplesFolder() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = folder.appending(path: "data", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        try Data("dear diary".utf8).write(to: data.appending(path: "diary.txt"))
        #expect(try await finish(start("--data", data.path())).status == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: data.path()) == ["diary.txt"])
    }

    @Test("Names a folder that cannot be written") func unwritable() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "file")
        try Data("This is no folder.".utf8).write(to: file)
        #expect(try await finish(start("--data", file.path())).status == 2)
        let complaint = try String(contentsOf: complaints, encoding: .utf8)
        #expect(complaint.contains("\(file.path())/ cannot be written."), "\(complaint)")
        #expect(!complaint.contains("Domain="), "\(complaint)")
    }

    @Test("Refuses a list that is too short for it, and an invalid port")
    func wrongUsage() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let list = folder.appending(path: "short.md")
        try Data("# Short\n\n- [ ] Tea\n".utf8).write(to: list)
        for arguments in [("--list", list.path()), ("--port", "65536"), ("--list", "no-such-file.md")] {
            let (status, lines) = try await finish(start(arguments.0, arguments.1))
            #expect(status == 2 && lines.isEmpty, "\(arguments)")
        }
    }
}
