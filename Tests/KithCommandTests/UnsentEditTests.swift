import Foundation
import GRDB
import KithModel
import Processes
import Testing

@Suite("kith contacts with edits that an account does not have yet") struct UnsentEditTests {
    let device = Device(Folder(), "device")

    private static func ada(_ phone: String) -> Data {
        Data("BEGIN:VCARD\r\nVERSION:3.0\r\nUID:a\r\nFN:Ada Lovelace\r\nTEL:\(phone)\r\nEND:VCARD\r\n".utf8)
    }

    /// Adds the account “Work”, whose server cannot be reached, with a card of Ada's and an edit of it that is stored.
    private func addAccount(refusal: String? = nil, hasCard: Bool = true) async throws {
        let password = try device.folder.write("secret\n", to: "password")
        let source = try await device.json(
            "contacts", "add-source", "http://127.0.0.1:1/dav", "--name", "Work", "--user", "ada", "--password-file",
            password)["source"]["id"].text
        let file = URL(filePath: device.data).appending(path: "address-book.sqlite")
        try await DatabaseQueue(path: file.path()).write { db in
            try db.execute(
                sql: "INSERT INTO cachedBook (source, path, token) VALUES (?, '/dav/', 't')", arguments: [source])
            if hasCard {
                try db.execute(
                    sql: """
                        INSERT INTO cachedCard (source, book, path, etag, bytes)
                            VALUES (?, '/dav/', '/dav/ada.vcf', '"1"', ?)
                        """, arguments: [source, Self.ada("1")])
            }
            try db.execute(
                sql: """
                    INSERT INTO waitingEdit (source, book, path, original, edited, refusal)
                        VALUES (?, '/dav/', '/dav/ada.vcf', ?, ?, ?)
                    """, arguments: [source, Self.ada("1"), Self.ada("2"), refusal])
        }
    }

    @Test("remove-source names them and removes nothing, unless they are to be dropped") func removal() async throws {
        try await addAccount()
        let kept = try await device.run("contacts", "remove-source", "work")
        #expect(kept.status == 5)
        #expect(kept.complaints.contains("1 edit yet, of “Ada Lovelace”"), "\(kept.complaints)")
        #expect(try await device.json("contacts", "--offline")["contacts"].elements.count == 1)
        let dropped = try await device.run("contacts", "remove-source", "work", "--drop")
        #expect(dropped.status == 0, "\(dropped.complaints)")
        #expect(try await device.json("contacts", "sources")["sources"].elements.isEmpty)
    }

    @Test("sources shows the address of an account's card that has a fault") func faultAddress() async throws {
        try await addAccount()
        let file = URL(filePath: device.data).appending(path: "address-book.sqlite")
        let card = Data("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ben\r\nno property\r\nEND:VCARD\r\n".utf8)
        try await DatabaseQueue(path: file.path()).write { db in
            try db.execute(
                sql: """
                    INSERT INTO cachedCard (source, book, path, etag, bytes)
                        SELECT source, path, '/dav/more/ben%20b.vcf', '"2"', ? FROM cachedBook
                    """, arguments: [card])
        }
        let run = try await device.run("contacts", "sources", "--offline")
        #expect(
            run.output.contains("\nhttp://127.0.0.1:1/dav/more/ben%20b.vcf:4: The line is no property"), "\(run.output)"
        )
    }

    @Test("sources counts refused edits separately, and shows the addresses of their cards") func refused()
        async throws
    {
        try await addAccount(refusal: "The edit of “Ada Lovelace” was not accepted.")
        let run = try await device.run("contacts", "sources", "--offline")
        #expect(run.output.contains("1 edit refused") && !run.output.contains("to send"), "\(run.output)")
        #expect(run.output.contains("\nhttp://127.0.0.1:1/dav/ada.vcf:1: The edit of “Ada"), "\(run.output)")
        let source = try await device.json("contacts", "sources", "--offline")["sources"].elements[0]
        #expect(source["waiting"] == 0)
        #expect(source["unsent"].elements.map { $0["refused"] } == [true])
    }

    @Test(
        "edit --discard forgets the edit of a card that is gone, by its name or its address",
        arguments: ["ada lovelace", "/dav/ada.vcf", "http://127.0.0.1:1/dav/ada.vcf"])
    func discarded(name: String) async throws {
        try await addAccount(refusal: "No.", hasCard: false)
        let run = try await device.run("contacts", "edit", name, "--discard", "--offline")
        #expect(run.status == 0, "\(run.complaints)")
        #expect(run.output.contains("Discarded the edit of “Ada Lovelace”"), "\(run.output)")
        let sources = try await device.json("contacts", "sources", "--offline")["sources"]
        #expect(sources.elements.map { $0["unsent"].elements.count } == [0])
    }

    @Test("edit --discard does not guess by the beginning of an address or a name", arguments: ["http", "/", "ada"])
    func unclear(name: String) async throws {
        try await addAccount(refusal: "No.", hasCard: false)
        let run = try await device.run("contacts", "edit", name, "--discard", "--offline")
        #expect(run.status == 6)
        let source = try await device.json("contacts", "sources", "--offline")["sources"].elements[0]
        #expect(source["unsent"].elements.count == 1)
    }

    @Test("edit --discard forgets an edit that waits") func waiting() async throws {
        try await addAccount()
        let run = try await device.run("contacts", "edit", "ada", "--discard", "--offline")
        #expect(run.status == 0, "\(run.complaints)")
        let shown = try await device.json("contacts", "show", "ada", "--offline")
        #expect(shown["contact"]["phones"].elements.map { $0["original"] } == ["1"])
    }
}
