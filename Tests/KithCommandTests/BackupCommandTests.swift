import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite("kith admin backup") struct BackupCommandTests {
    private let folder = Folder()

    private var file: String { folder.file("backup.sqlite").path() }

    @Test("makes a backup of a running server, and says what is in it and what is not") func running() async throws {
        let server = try await folder.server()
        let device = Device(folder, "ada", server: server.url)
        try await device.json("lists", "create", "Groceries")
        try await device.json("sync")
        let run = try await folder.admin("backup", file)
        #expect(run.status == 0, "\(run.complaints)")
        #expect(run.output.contains("accounts: 1.") && run.output.contains("The check found no damage."))
        let again = try await folder.admin("backup", file, "--force", "--json").json
        #expect(again.keys == ["accounts", "bytes", "discoveryKeyFile", "file", "records", "server", "time"])
        let restored = try SQLiteDatabase(besideServer: file)
        #expect(again["server"].text == restored.server.description)
        #expect(try restored.readNow { try $0.query("SELECT COUNT(*) FROM account")[0].integer(0) } == 1)
    }

    @Test("names the file of discovery's keys, which are not in it") func keys() async throws {
        _ = try SQLiteDatabase(path: folder.file("server.sqlite").path())
        let keys = folder.file("server.sqlite.discovery-key").path()
        try Data("{}".utf8).write(to: URL(filePath: keys))
        let run = try await folder.admin("backup", file)
        #expect(run.status == 0 && run.output.contains("copy \(keys) as well"))
        #expect(try await folder.admin("backup", file, "--force", "--json").json["discoveryKeyFile"].text == keys)
    }

    @Test("ends with the code of what is wrong") func codes() async throws {
        let database = folder.file("server.sqlite").path()
        #expect(try await folder.admin("backup", file).status == 6)
        #expect(!FileManager.default.fileExists(atPath: database))
        do { _ = try SQLiteDatabase(path: database) }
        #expect(try await folder.admin("backup", file).status == 0)
        let exists = try await folder.admin("backup", file, "--json")
        #expect(exists.status == 5)
        #expect(try exists.error["sentence"].text?.contains("--force") == true)
        #expect(try await folder.admin("backup", database, "--force").status == 64)
        let unnamed = try await folder.admin("backup", "")
        #expect(unnamed.status == 64 && unnamed.complaints.contains("Name the file of the backup"))
        let postgres = try await Program.built.run(
            ["admin", "backup", file, "--force", "--database", "postgres://nobody@127.0.0.1:1/nothing"], in: folder)
        #expect(postgres.status == 64 && postgres.complaints.contains("pg_dump"))
        try Data(repeating: 7, count: 10_000).write(to: URL(filePath: database))
        let damaged = try await folder.admin("backup", file, "--force", "--json")
        #expect(damaged.status == 1)
        #expect(try damaged.error["code"] == "damaged")
    }
}
