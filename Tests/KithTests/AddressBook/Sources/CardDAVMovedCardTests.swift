import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

@Suite("Waiting edits of cards that other programs move on the server", .timeLimit(.minutes(15)))
struct CardDAVMovedCardTests {
    private let server = FakeDAVServer()
    private let account: Account
    private let path = FakeDAVServer.book + "ada.vcf"
    private let newPath = FakeDAVServer.book + "new.vcf"

    init() throws { account = try Account(FakeDAVServer.address, server) }

    /// A source with a waiting edit of Ada's number, from 1 to 2.
    private func waitingEdit() async throws -> CardDAVSource {
        server.change { $0.set("ada.vcf", card("Ada", uid: "a", "TEL:1")) }
        let source = try await account.loaded()
        server.change { $0.isAway = true }
        let original = try await source.vCard(CardReference(path))
        let edited = original.with { $0.phones[0].number = "2" }
        let saved = try await source.save(edited, editedFrom: original, as: CardReference(path))
        try #require(!saved.isSent)
        server.change { state in
            state.isAway = false
            state.set("ada.vcf", nil)
        }
        return source
    }

    private var cards: [String: String] {
        server.change { $0.books[FakeDAVServer.book] ?? [:] }.mapValues { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// The server refuses every new card at the path of Ada's first one.
    private func refusePut(_ status: Int, _ body: String = "") {
        server.answers { [path] request in
            request.method == "PUT" && request.url.path() == path
                ? DAVResponse(status: status, body: Data(body.utf8)) : nil
        }
    }

    @Test("An edit is merged into the card with the same uid and name at another address") func moved() async throws {
        let source = try await waitingEdit()
        server.change { $0.set("new.vcf", card("Ada", uid: "a", "TEL:1", "NOTE:theirs")) }
        let contents = try await source.contents()
        #expect(contents.entries.map(\.reference.name) == [newPath])
        #expect(contents.entries.map { $0.card.phones.map(\.number) } == [["2"]])
        #expect(contents.waiting == 0)
        #expect(contents.faults.isEmpty)
        #expect(Array(cards.keys) == [newPath])
        let text = try #require(cards[newPath])
        #expect(text.contains("TEL:2") && text.contains("NOTE:theirs"), "\(text)")
    }

    @Test("An edit that conflicts with the moved card is a fault, also after a restart") func conflict() async throws {
        let source = try await waitingEdit()
        server.change { $0.set("new.vcf", card("Ada", uid: "a", "TEL:3")) }
        for source in [source, account.open()] {
            let contents = try await source.contents()
            #expect(contents.entries.map { $0.card.phones.map(\.number) } == [["3"]])
            #expect(contents.faults.map(\.name) == [newPath])
        }
    }

    @Test("An edit is a fault if the server refuses to restore its card because of its uid") func uidIsTaken()
        async throws
    {
        let source = try await waitingEdit()
        refusePut(
            409, #"<error xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"><C:no-uid-conflict/></error>"#)
        let contents = try await source.contents()
        #expect(contents.faults.map(\.name) == ["/ada/friends/ada.vcf"])
        #expect(contents.entries.isEmpty)
    }

    @Test("An edit is a fault, and changes nothing, if another person's card has the uid") func anotherPerson()
        async throws
    {
        let source = try await waitingEdit()
        server.change { $0.set("new.vcf", card("Grace", uid: "a", "TEL:1")) }
        let contents = try await source.contents()
        #expect(contents.names == ["Grace"])
        #expect(contents.faults.map(\.name) == ["/ada/friends/ada.vcf"])
        #expect(cards == [newPath: String(decoding: card("Grace", uid: "a", "TEL:1"), as: UTF8.self)])
    }

    @Test("An edit whose card is in no book is shown while it waits") func shown() async throws {
        let source = try await waitingEdit()
        refusePut(500)
        let contents = try await source.contents()
        #expect(contents.names == ["Ada"])
        #expect(contents.waiting == 1)
        server.answers { _ in nil }
        #expect(try await source.contents().waiting == 0)
        #expect(cards[path]?.contains("TEL:2") == true)
    }
}
