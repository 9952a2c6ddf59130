import Kith
import KithAddressBook
import KithCards
import Synchronization
import Testing

/// Two clients of one folder, such as an app and a command line, have the same account, each with what it has read.
@Suite("An account in two clients", .timeLimit(.minutes(15))) struct CardDAVTwoClientsTests {
    private let server = FakeDAVServer()
    private let transport: SlowTransport
    private let account: Account
    private let reference = CardReference(FakeDAVServer.book + "ada.vcf")

    init() throws {
        transport = SlowTransport(server)
        account = try Account(FakeDAVServer.address, transport)
        server.change { $0.set("ada.vcf", card("Ada", uid: "a", "TEL:1")) }
    }

    private func save(_ source: CardDAVSource, _ edit: (inout Card) -> Void) async throws {
        let original = try await source.vCard(reference)
        _ = try await source.save(original.with(edit), editedFrom: original, as: reference)
    }

    /// The numbers and notes of the only card of the account, as a new client reads them.
    private func stored() async throws -> [String] {
        let card = try #require(try await account.open().contents().entries.first?.card)
        return card.phones.map(\.number) + card.notes.map(\.note)
    }

    @Test("Trap: an edit replaces one that another client has stored – both are sent") func merged() async throws {
        let (app, command) = (try await account.loaded(), try await account.loaded())
        server.change { $0.isAway = true }
        try await save(app) { $0.phones[0].number = "2" }
        try await save(command) { $0.notes.append(Card.Note(id: "NOTE-1", note: "mine")) }
        server.change { $0.isAway = false }
        #expect(try await app.contents().unsent.isEmpty)
        #expect(try await stored() == ["2", "mine"])
    }

    @Test("Trap: a client sends what another one has discarded – nothing is sent") func discarded() async throws {
        let app = try await account.loaded()
        server.change { $0.isAway = true }
        try await save(app) { $0.phones[0].number = "2" }
        let command = account.open()
        #expect(try await command.cached()?.unsent.count == 1)
        try await app.discardEdit(of: reference)
        server.change { $0.isAway = false }
        #expect(try await command.contents().unsent.isEmpty)
        #expect(try await stored() == ["1"])
    }

    @Test("Trap: a client sends what another one has corrected – the correction is sent, without a conflict")
    func corrected() async throws {
        let app = try await account.loaded()
        server.change { $0.isAway = true }
        try await save(app) { $0.phones[0].number = "2" }
        let command = account.open()
        #expect(try await command.cached()?.unsent.count == 1)
        try await save(app) { $0.phones[0].number = "3" }
        server.change { $0.isAway = false }
        let contents = try await command.contents()
        #expect(contents.unsent.isEmpty && contents.faults.isEmpty)
        #expect(try await stored() == ["3"])
    }

    @Test("Trap: A slow load stores what another client has replaced – the next load has the server's cards")
    func overtaken() async throws {
        server.change { $0.set("ben.vcf", card("Ben", uid: "b")) }
        let (app, command) = (try await account.loaded(), try await account.loaded())
        server.change { state in
            state.set("ada.vcf", card("Ada 2", uid: "a"))
            state.set("ben.vcf", card("Ben 2", uid: "b"))
        }
        transport.whileSlow { [server] in
            server.change { state in
                state.set("ada.vcf", card("Ada 3", uid: "a"))
                state.set("ben.vcf", nil)
            }
            let names = try await command.contents().names
            #expect(names == ["Ada 3"])
        }
        #expect(try await app.contents().names == ["Ada 2", "Ben 2"])
        server.change { $0.set("cleo.vcf", card("Cleo", uid: "c")) }
        for client in [command, account.open(), app] {
            #expect(try await client.contents().names == ["Ada 3", "Cleo"])
        }
    }

    @Test("Trap: A client stores cards in an interrupted load – another one removes those that are gone meanwhile")
    func interrupted() async throws {
        let app = try await account.loaded()
        server.change { state in
            for number in 0..<150 { state.set("c\(number).vcf", card("Person \(number)", uid: "u\(number)")) }
        }
        // The second of two requests for cards.
        server.answers { request in
            if request.text.contains("c99.vcf") { throw KithError(.offline, "The line is broken.") }
            return nil
        }
        await #expect(throws: KithError.self) { try await account.open().contents() }
        server.answers { _ in nil }
        server.change { $0.set("c0.vcf", nil) }
        #expect(try await app.contents().entries.count == 150)
        #expect(try await account.open().contents().entries.count == 150)
    }
}

/// A server whose answer to a request for several cards takes so long that a test can do something meanwhile.
private final class SlowTransport: DAVTransport {
    private let server: FakeDAVServer
    private let work = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ server: FakeDAVServer) { self.server = server }

    /// Does this before the next such answer arrives.
    func whileSlow(_ body: @escaping @Sendable () async throws -> Void) { work.withLock { $0 = body } }

    func send(_ request: DAVRequest) async throws -> DAVResponse {
        let answer = try await server.send(request)
        guard request.text.contains("addressbook-multiget") else { return answer }
        let body = work.withLock { work in
            defer { work = nil }
            return work
        }
        try await body?()
        return answer
    }
}
