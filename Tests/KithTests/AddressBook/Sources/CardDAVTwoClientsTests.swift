import Kith
import KithAddressBook
import KithCards
import Testing

/// Two clients of one folder, such as an app and a command line, have the same account, each with what it has read.
@Suite("An account in two clients", .timeLimit(.minutes(15))) struct CardDAVTwoClientsTests {
    private let server = FakeDAVServer()
    private let account: Account
    private let reference = CardReference(FakeDAVServer.book + "ada.vcf")

    init() throws {
        account = try Account(FakeDAVServer.address, server)
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
}
