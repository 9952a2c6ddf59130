import Foundation
import KithModel
import KithServer
import Testing

@Suite("A gateway of files") struct FileGatewayTests {
    private let folder = Folder()

    @Test("Writes each message to a file that only its owner can read, and a repeated message to the same file")
    func files() async throws {
        let place = folder.url.appending(path: "kith.sqlite.outbox")
        let composer = EmailComposer(from: try #require(MailAddress("kith@k.example")))
        let gateway = FileGateway(folder: place, composer: composer)
        let world = try MessageWorld()
        var sms = OutgoingMessage.code(2, to: "+436641234567")
        sms.channel = .sms
        try await world.add(.code(1))
        try await world.add(sms)
        try await world.lane(.email).run()
        try await world.lane(.email, gateway: gateway).run()
        try await world.lane(.sms, gateway: gateway).run()
        let email = try #require(world.gateway.received.first)
        for _ in 1...2 { #expect(await gateway.deliver(email) == .accepted) }
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
        #expect(names == ["\(email.id).eml", "\(sms.id).txt"])
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: place.appending(path: name).path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
        #expect(try Data(contentsOf: place.appending(path: names[0])) == composer.compose(email))
        let text = try String(contentsOf: place.appending(path: names[1]), encoding: .utf8)
        #expect(
            text == """
                To: +436641234567

                123456 is your code for Kith, for 10 minutes, on Ada's phone, from Vienna. Never enter it anywhere else or \
                tell it to anybody.

                """)
    }

    @Test("If the folder cannot be written, the message stays in the queue")
    func unwritable() async throws {
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        let composer = EmailComposer(from: try #require(MailAddress("kith@k.example")))
        let world = try MessageWorld()
        try await world.add(.code())
        let gateway = FileGateway(folder: file.appending(path: "outbox"), composer: composer)
        try await world.lane(gateway: gateway).run()
        #expect(try await world.state(of: .code()) == .queued)
    }

    @Test("Files of messages are deleted after seven days, and the oldest of more than 10,000; other files stay")
    func purge() async throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let day = 24.0 * 3600
        #expect(FileGateway.old([("a", now - 7 * day), ("b", now - 7 * day - 1)], at: now) == ["b"])
        let many = (0..<10_002).map { (name: "\($0)", written: now - Double($0)) }
        #expect(FileGateway.old(many.shuffled(), at: now) == ["10000", "10001"])

        let gateway = FileGateway(
            folder: folder.url, composer: EmailComposer(from: try #require(MailAddress("kith@k.example"))))
        let names = [
            "\(MessageID.numbered(1)).eml", "\(MessageID.numbered(2)).txt", "\(MessageID.numbered(3)).eml.draft",
            "\(MessageID.numbered(4)).eml", "note.txt", "\(MessageID.numbered(5)).pdf",
        ]
        for name in names {
            let file = folder.url.appending(path: name)
            try Data().write(to: file)
            let written = name == names[3] ? now : now - 8 * day
            try FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: file.path)
        }
        #expect(try gateway.purge(at: now) == 3)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(Set(left) == Set(names[3...]))
    }
}
