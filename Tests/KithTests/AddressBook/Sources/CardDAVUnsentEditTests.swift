import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

@Suite("Edits that a server does not take", .timeLimit(.minutes(15))) struct CardDAVUnsentEditTests {
    private let server = FakeDAVServer()
    private let account: Account
    private let reference = CardReference(FakeDAVServer.book + "ada.vcf")

    init() throws {
        account = try Account(FakeDAVServer.address, server)
        server.change { $0.set("ada.vcf", card("Ada", uid: "a", "TEL:1")) }
    }

    /// Saves Ada's number 2.
    private func save(to source: CardDAVSource) async throws -> SavedCard {
        let original = try await source.vCard(reference)
        let edited = original.with { $0.phones[0].number = "2" }
        return try await source.save(edited, editedFrom: original, as: reference)
    }

    @Test("An edit of a card whose book is gone is a fault with its content, and can be discarded") func bookIsGone()
        async throws
    {
        let source = try await account.loaded()
        server.change { $0.isAway = true }
        _ = try await save(to: source)
        server.change { state in
            state.isAway = false
            state.books = ["/ada/others/": [:]]
        }
        for source in [source, account.open()] {
            let contents = try await source.contents()
            #expect(contents.entries.isEmpty)
            #expect(contents.waiting == 0)
            #expect(contents.unsent.map(\.name) == ["Ada"])
            #expect(contents.unsent.map(\.isRefused) == [true])
            let fault = try #require(contents.faults.first)
            #expect(fault.editedCard == reference)
            #expect(fault.sentence.hasPrefix("The edit of “Ada” was not accepted. "), "\(fault.sentence)")
            #expect(fault.sentence.contains("TEL is “2” here, and was “1”."), "\(fault.sentence)")
        }
        try await source.discardEdit(of: reference)
        for source in [source, account.open()] {
            let contents = try await source.contents()
            #expect(contents.faults.isEmpty)
            #expect(contents.unsent.isEmpty)
        }
    }

    @Test("The reason why a server fails on an edit is shown while the edit waits") func failing() async throws {
        let source = try await account.loaded()
        server.answers { $0.method == "PUT" ? DAVResponse(status: 500) : nil }
        let saved = try await save(to: source)
        #expect(!saved.isSent)
        #expect(saved.reason?.contains("status 500") == true)
        for source in [source, account.open()] {
            let contents = try await source.contents()
            #expect(contents.waiting == 1)
            #expect(contents.faults.count == 1)
            let sentence = try #require(contents.faults.first?.sentence)
            #expect(sentence.contains("“Ada”") && sentence.contains("status 500"), "\(sentence)")
        }
        server.answers { _ in nil }
        let contents = try await source.contents()
        #expect(contents.faults.isEmpty)
        #expect(contents.unsent.isEmpty)
    }

    @Test("A waiting edit can be discarded") func discarded() async throws {
        let source = try await account.loaded()
        server.change { $0.isAway = true }
        #expect(try await save(to: source).reason == nil)
        try await source.discardEdit(of: reference)
        server.change { $0.isAway = false }
        #expect(try await account.open().contents().entries.map { $0.card.phones.map(\.number) } == [["1"]])
    }
}
