import Foundation
import KithModel
import KithServer
import Testing

@Suite("kith admin works with the server's own files, or not at all") struct OperatorTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func admin(_ arguments: String..., keys: String) async throws -> Program.Run {
        try await Program.built.run(
            ["admin"] + arguments + [
                "--database", folder.file("server.sqlite").path(), "--discovery-key-file", folder.file(keys).path(),
            ], in: folder)
    }

    private func makeDatabase() async throws -> String {
        let database = try SQLiteDatabase(path: folder.file("server.sqlite").path())
        return try await SessionService(database: database).open(at: Timestamp(.now)).account.description
    }

    @Test(
        "Trap: another file of secret keys than the server's makes everybody unfindable – it is refused, and none is made"
    )
    func otherKeys() async throws {
        let account = try await makeDatabase()
        let added = try await admin("identity", "add", "ada@example.com", "--account", account, keys: "keys")
        #expect(added.status == 0, "\(added.complaints)")
        let before = try await admin("discovery", "--json", keys: "keys").output
        for arguments in [
            ["identity", "add", "+436641234567", "--account", account], ["discovery"], ["discovery", "rotate"],
        ] {
            let run = try await Program.built.run(
                ["admin"] + arguments + [
                    "--database", folder.file("server.sqlite").path(),
                    "--discovery-key-file", folder.file("typo").path(), "--json",
                ], in: folder)
            #expect(run.status == 5)
            #expect(try run.error["code"].text == "otherKeys")
            #expect(try run.error["sentence"].text?.contains("--discovery-key-file") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("typo").path()))
        #expect(try await admin("discovery", "--json", keys: "keys").output == before)
    }
}
