import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("A damaged replica") struct DamageTests {
    private let folder = TemporaryFolder()

    /// A device with what is synced, what is in flight, what waits, and a rejection; then closed.
    private func prepare() async throws -> (server: FakeServer, any CredentialStore, ListID) {
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let gone = try await phone.lists.add("Gone", to: list)
        try await phone.lists.add("Synced", to: list)
        try await phone.client.syncNow()
        phone.othersRemove(gone.id, in: list)
        try await phone.lists.setTicked(gone.id, true)
        try await phone.client.syncNow()
        try await phone.lists.add("In flight", to: list)
        _ = try phone.mutations()
        try await phone.lists.add("Waiting", to: list)
        try await phone.client.replica.database.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        return (phone.server, phone.credentials, list)
    }

    @Test("A file that is no database is moved aside, kept and reported; a new one is filled from the server")
    func noDatabase() async throws {
        let (server, credentials, _) = try await prepare()
        try Data(repeating: 0x5A, count: 20_000).write(to: folder.replica)
        let phone = try Phone(server, file: folder.replica, seed: 5, credentials: credentials)
        let aside = try #require(phone.client.damagedReplica)
        #expect(try Data(contentsOf: aside).count == 20_000)
        #expect(try await phone.lists.all().isEmpty)
        try await phone.lists.create("Anew")
        #expect(try await phone.lists.all().map(\.name) == ["Anew"])
    }

    @Test("Damage that shows in use is noted, and at the next start unsent mutations are salvaged") func salvage()
        async throws
    {
        let (server, credentials, list) = try await prepare()
        // Overwrites the pages of the items, which no start reads.
        let pages = try {
            let database = try DatabaseQueue(path: folder.replica.path)
            defer { try? database.close() }
            return try database.read { db in
                let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
                return (
                    size,
                    try Int.fetchAll(
                        db, sql: "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'item' AND rootpage > 0")
                )
            }
        }()
        let file = try FileHandle(forWritingTo: folder.replica)
        for page in pages.1 {
            try file.seek(toOffset: UInt64((page - 1) * pages.0))
            try file.write(contentsOf: Data(repeating: 0xEE, count: pages.0))
        }
        try file.close()
        do {
            let broken = try Phone(server, file: folder.replica, seed: 5, credentials: credentials)
            #expect(broken.client.damagedReplica == nil)
            #expect(await code { _ = try await broken.titles(in: list) } == .replicaBroken)
        }
        let phone = try Phone(server, file: folder.replica, seed: 6, credentials: credentials)
        let aside = try #require(phone.client.damagedReplica)
        #expect(FileManager.default.fileExists(atPath: aside.path))
        #expect(try await phone.waiting() == 2)
        #expect(try await phone.client.rejections().map(\.values) == [["ticked": true]])
        #expect(try await phone.client.session.state() == .anonymous)
        try await phone.client.syncNow()
        #expect(try await phone.titles(in: list) == ["Synced", "In flight", "Waiting"])
        #expect(server.change { $0.titles(in: list) } == ["In flight", "Synced", "Waiting"])
        #expect(try await phone.waiting() == 0)
        // Once is enough: the next start finds a sound file.
        let again = try Phone(server, file: folder.replica, seed: 7, credentials: credentials)
        #expect(again.client.damagedReplica == nil)
    }

    @Test("Law 7: What was salvaged stays on top of what is read again") func salvagedOnTop() async throws {
        let (server, credentials, list) = try await prepare()
        do {
            let phone = try Phone(server, file: folder.replica, seed: 4, credentials: credentials)
            let items = try await phone.lists.items(in: list)
            let synced = try #require(items.first { $0.title == "Synced" })
            try await phone.lists.update(with(synced) { $0.title = "Renamed" })
            // One mutation a request, so that the rename waits while the list is read.
            try phone.execute("UPDATE account SET batch = 1")
        }
        _ = FileManager.default.createFile(atPath: folder.replica.path + ".damaged", contents: nil)
        let phone = try Phone(server, file: folder.replica, seed: 5, credentials: credentials)
        #expect(phone.client.damagedReplica != nil)
        try phone.round()
        #expect(try await phone.waiting() > 0)
        #expect(try await phone.titles(in: list).contains("Renamed"))
        #expect(try await !phone.titles(in: list).contains("Synced"))
    }

    @Test("A start that is killed during the salvage leaves all of it to the next start", arguments: [false, true])
    func killedWhileSalvaging(wasMoved: Bool) async throws {
        let (server, credentials, list) = try await prepare()
        let marker = folder.replica.path + ".damaged"
        // As a kill leaves it: the place is noted, and the file is moved or not, a new one is there or not.
        let name = folder.replica.lastPathComponent + ".broken-1"
        try Data(name.utf8).write(to: URL(fileURLWithPath: marker))
        if wasMoved {
            for suffix in ["-wal", "-shm", ""]
            where FileManager.default.fileExists(atPath: folder.replica.path + suffix) {
                try FileManager.default.moveItem(
                    atPath: folder.replica.path + suffix, toPath: folder.replica.path + ".broken-1" + suffix)
            }
            _ = try Replica(.inMemory).database.backup(to: DatabaseQueue(path: folder.replica.path))
        }
        let phone = try Phone(server, file: folder.replica, seed: 6, credentials: credentials)
        #expect(phone.client.damagedReplica?.lastPathComponent == name)
        #expect(try await phone.waiting() == 2)
        #expect(!FileManager.default.fileExists(atPath: marker))
        try await phone.client.syncNow()
        #expect(try await phone.titles(in: list) == ["Synced", "In flight", "Waiting"])
    }

    @Test("An invalid row or an unreadable account affects no other row") func garbage() async throws {
        let (_, _, list) = try await prepare()
        do {
            let database = try DatabaseQueue(path: folder.replica.path)
            try await database.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA foreign_keys = OFF")
                try db.execute(sql: "DELETE FROM account")
                try db.execute(
                    sql:
                        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'sentence TEXT NOT NULL', 'sentence TEXT'); PRAGMA writable_schema = RESET"
                )
                try db.execute(sql: "UPDATE rejection SET sentence = NULL")
            }
            try database.close()
        }
        _ = FileManager.default.createFile(atPath: folder.replica.path + ".damaged", contents: nil)
        let phone = try Phone(file: folder.replica, seed: 6)
        #expect(try await phone.waiting() == 2)
        #expect(try await phone.titles(in: list) == ["In flight", "Waiting"])
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("Trap: One wrong byte in the header hides no unsent edit", arguments: [3, 16, 19, 21, 47])
    func header(place: Int) async throws {
        let (server, credentials, list) = try await prepare()
        var bytes = try Data(contentsOf: folder.replica)
        bytes[place] ^= 0x42
        try bytes.write(to: folder.replica)
        let phone = try Phone(server, file: folder.replica, seed: 6, credentials: credentials)
        let aside = try #require(phone.client.damagedReplica)
        #expect(try Data(contentsOf: aside) == bytes)
        #expect(try await phone.waiting() == 2)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!names.contains { $0.contains(".mended") })
        try await phone.client.syncNow()
        #expect(try await phone.titles(in: list) == ["Synced", "In flight", "Waiting"])
    }

    @Test("Several damaged files are all kept") func several() async throws {
        for _ in 0..<3 {
            try Data("damaged, and long enough to be looked at as a database file".utf8).write(to: folder.replica)
            let phone = try Phone(file: folder.replica)
            #expect(phone.client.damagedReplica != nil)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.count { $0.contains(".broken-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == 3)
    }
}
