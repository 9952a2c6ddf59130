import Foundation
import KithModel
import KithServer
import Testing

@Suite("kith admin copy") struct CopyCommandTests {
    private let folder = Folder()
    /// Nobody listens there.
    private static let nowhere = "postgres://nobody@127.0.0.1:1/nothing"

    private var database: String { folder.file("server.sqlite").path() }

    private func copy(from source: String, to target: String) async throws -> Program.Run {
        try await Program.built.run(["admin", "copy", "--from", source, "--to", target, "--json"], in: folder)
    }

    @Test("refuses what is no address, and repeats no password", arguments: ["server.sqlite", "sqlite:", "ftp://x"])
    func addresses(text: String) async throws {
        let from = try await copy(from: text, to: Self.nowhere)
        #expect(from.status == 64 && from.complaints.contains("--from sqlite:FILE"))
        let to = try await copy(from: "sqlite:\(database)", to: "mysql://ada:secret@db.example/kith")
        #expect(to.status == 64 && !to.complaints.contains("secret"))
    }

    @Test(
        "refuses an address that libpq cannot read, because a second attempt would not succeed either",
        arguments: ["postgres://ada:se@cret@db.example/kith", "postgres://ada:secret@db.example/kith?nonsense=1"])
    func unreadable(target: String) async throws {
        _ = try SQLiteDatabase(path: database)
        let run = try await copy(from: "sqlite:\(database)", to: target)
        #expect(run.status == 64 && run.complaints.contains("%40") == target.contains("se@cret"))
        #expect(!run.complaints.contains("cret@") && !run.complaints.contains("nonsense"))
    }

    @Test("copies in one direction only, and says why") func backwards() async throws {
        let run = try await copy(from: "postgres://kith@db.example/kith", to: "sqlite:\(database)")
        #expect(run.status == 64)
        #expect(try run.error["sentence"].text?.contains("other servers may write to it") == true)
    }

    @Test("needs a database of this version, and creates none") func missing() async throws {
        let run = try await copy(from: "sqlite:\(database)", to: Self.nowhere)
        #expect(run.status == 6)
        #expect(!FileManager.default.fileExists(atPath: database))
        #expect(!FileManager.default.fileExists(atPath: database + ".lock"))
    }

    @Test("Trap: what a running server writes during a copy would be lost – its database is refused")
    func running() async throws {
        let server = try await folder.server()
        let run = try await copy(from: "sqlite:\(database)", to: Self.nowhere)
        #expect(run.status == 75)
        #expect(try run.error["sentence"].text?.contains("kith admin copy has \(database) open.") == true)
        withExtendedLifetime(server) {}
    }

    @Test("Trap: a damaged database is no reason to try again – the code is 1, and the sentence says what to do")
    func damaged() async throws {
        do { _ = try SQLiteDatabase(path: database) }
        var bytes = try Data(contentsOf: URL(filePath: database))
        bytes.replaceSubrange(4_096..., with: Data(repeating: 0xA5, count: bytes.count - 4_096))
        try bytes.write(to: URL(filePath: database))
        let run = try await copy(from: "sqlite:\(database)", to: Self.nowhere)
        #expect(run.status == 1)
        #expect(try run.error["code"] == "damaged")
        #expect(try run.error["sentence"].text == "\(database) is damaged. Restore a backup.")
    }

    @Test("can be tried again when PostgreSQL is not there, and leaves the old database as it was")
    func unreachable() async throws {
        let epoch = try SQLiteDatabase(path: database).epoch()
        let run = try await copy(from: "sqlite:\(database)", to: Self.nowhere)
        #expect(run.status == 75)
        #expect(try run.error["code"] == "busy")
        #expect(try run.error["sentence"].text?.contains("When that is mended, the same command goes on") == true)
        #expect(try SQLiteDatabase(path: database).epoch() == epoch)
    }
}
