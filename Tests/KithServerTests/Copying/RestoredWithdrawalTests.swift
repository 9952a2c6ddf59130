import Foundation
import GRDB
import KithModel
import KithServer
import Testing

@Suite("The statements in Operations.md for a restored database") struct RestoredWithdrawalTests {
    private let folder = Folder()

    private func statements() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "Documentation/Operations.md"), encoding: .utf8)
        return String(try #require(page.firstMatch(of: /<<'SQL'\n(.*?)\n *SQL\n/.dotMatchesNewlines())).1)
    }

    @Test("Withdraw again what was withdrawn after the backup") func withdrawn() async throws {
        let restored = folder.url.appending(path: "restored.sqlite").path
        do {
            let old = try SQLiteDatabase(path: folder.database)
            try await old.write { transaction in
                for id in 1...2 as ClosedRange<UInt8> {
                    try transaction.execute(
                        """
                        INSERT INTO link (id, list, hash, role, is_public, created, expires, accepted, revoked, can_tick)
                        VALUES (?, ?, ?, 'viewer', 1, 0, NULL, 0, 0, 0)
                        """, [.bytes(Data([id])), .bytes(Data([0])), .bytes(Data([id]))])
                }
                try transaction.execute(
                    "INSERT INTO operator VALUES ('ada', 'first', 0, 0), ('ben', 'first', 0, 0)", [])
                try transaction.execute("INSERT INTO operator_session VALUES (x'01', 'ben', 0, 9)", [])
            }
            try old.backup(to: restored)
            try await old.write { transaction in
                try transaction.execute("UPDATE link SET revoked = 1, expires = 5 WHERE id = x'01'", [])
                try transaction.execute("INSERT INTO suppression VALUES (x'02', 'invitation', 5)", [])
                try transaction.execute("DELETE FROM operator WHERE name = 'ben'", [])
                try transaction.execute("UPDATE operator SET password = 'second'", [])
            }
        }
        let statements = try statements().replacing("/var/lib/kith/old.sqlite", with: folder.database)
        #expect(statements.contains(folder.database))
        let queue = try DatabaseQueue(path: restored)
        try await queue.writeWithoutTransaction { try $0.execute(sql: statements) }
        let rows = try await queue.read { database in
            (
                try String.fetchAll(database, sql: "SELECT hex(id) FROM link WHERE revoked = 1 AND expires = 5"),
                try String.fetchAll(database, sql: "SELECT kind FROM suppression"),
                try String.fetchAll(database, sql: "SELECT name || ' ' || password FROM operator"),
                try Int.fetchOne(database, sql: "SELECT count(*) FROM operator_session")
            )
        }
        #expect(rows.0 == ["01"] && rows.1 == ["invitation"] && rows.2 == ["ada second"] && rows.3 == 0)
    }
}
