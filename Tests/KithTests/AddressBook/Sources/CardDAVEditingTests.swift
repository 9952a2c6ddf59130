import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

@Suite("Editing the cards of a CardDAV account", .timeLimit(.minutes(15))) struct CardDAVEditingTests {
    private let server = FakeDAVServer()
    private let account: Account
    private let path = FakeDAVServer.book + "ada.vcf"
    private var reference: CardReference { CardReference(path) }

    init() throws {
        account = try Account(FakeDAVServer.address, server)
        put("TEL:1")
    }

    /// What another program makes of the card.
    private func put(_ lines: String...) {
        let bytes = ["BEGIN:VCARD", "VERSION:3.0", "UID:a", "FN:Ada"] + lines + ["END:VCARD", ""]
        server.change { $0.set("ada.vcf", Array(bytes.joined(separator: "\r\n").utf8)) }
    }

    /// The numbers that the server has.
    private var numbers: [String] {
        get throws {
            let bytes = server.change { [path] in $0.books[FakeDAVServer.book]?[path]?.bytes }
            return Card(try VCard(#require(bytes))).phones.map(\.number)
        }
    }

    /// Saves another number.
    private func save(_ number: String, to source: CardDAVSource) async throws -> SavedCard {
        let original = try await source.vCard(reference)
        let edited = original.with { $0.phones[0].number = number }
        return try await source.save(edited, editedFrom: original, as: reference)
    }

    private func numbers(_ contents: SourceContents) -> [String] {
        contents.entries.flatMap { $0.card.phones.map(\.number) }
    }

    private func isAway(_ isAway: Bool) { server.change { $0.isAway = isAway } }

    /// A source with another number, “2”, that waits because the server is away.
    private func waitingEdit() async throws -> CardDAVSource {
        let source = try await account.loaded()
        isAway(true)
        _ = try await save("2", to: source)
        return source
    }

    @Test("An edit is sent with the tag of the card that was read, in one request") func ifMatch() async throws {
        let source = try await account.loaded()
        let original = try await source.vCard(reference)
        let tag = server.change { [path] in $0.books[FakeDAVServer.book]?[path]?.etag }
        _ = server.asked()
        let edited = original.with { $0.phones[0].number = "2" }
        _ = try await source.save(edited, editedFrom: original, as: reference)
        let requests = server.change { $0.requests }
        let request = try #require(requests.first)
        #expect(request.method == "PUT")
        #expect(request.headers["If-Match"] == tag)
        #expect(try numbers == ["2"])
    }

    @Test("Offline, an edit waits on the device, is shown, survives a restart, and is sent by the next load")
    func waits() async throws {
        let source = try await account.loaded()
        isAway(true)
        #expect(try await save("2", to: source) == SavedCard(reference: reference, isSent: false))
        for source in [source, account.open()] {
            let cached = try #require(try await source.cached())
            #expect(numbers(cached) == ["2"])
            #expect(cached.waiting == 1)
            #expect(Card(try await source.vCard(reference)).phones.map(\.number) == ["2"])
        }
        #expect(try numbers == ["1"])
        isAway(false)
        let contents = try await account.open().contents()
        #expect(numbers(contents) == ["2"])
        #expect(contents.waiting == 0)
        #expect(try numbers == ["2"])
    }

    @Test("Two waiting edits are combined, even of the same property") func waitsTwice() async throws {
        _ = try await waitingEdit()
        _ = try await save("3", to: account.open())
        isAway(false)
        #expect(numbers(try await account.open().contents()) == ["3"])
        #expect(try numbers == ["3"])
    }

    @Test("An edit that is undone while it waits is not sent") func takenBack() async throws {
        let source = try await waitingEdit()
        #expect(try await save("1", to: source).isSent)
        isAway(false)
        _ = server.asked()
        #expect(try await source.contents().waiting == 0)
        #expect(!server.asked().contains { $0.hasPrefix("PUT") })
    }

    @Test("A waiting edit is merged with another program's changes") func mergesLater()
        async throws
    {
        let source = try await waitingEdit()
        put("TEL:1", "NOTE:theirs")
        isAway(false)
        let contents = try await source.contents()
        #expect(numbers(contents) == ["2"])
        #expect(contents.entries[0].card.notes.map(\.note) == ["theirs"])
        #expect(try numbers == ["2"])
    }

    @Test("A waiting edit with a conflict is a fault with both versions until the card is saved again")
    func conflictsLater() async throws {
        let source = try await waitingEdit()
        put("TEL:3")
        isAway(false)
        for source in [source, account.open()] {
            let contents = try await source.contents()
            #expect(numbers(contents) == ["3"])
            #expect(contents.waiting == 1)
            let fault = try #require(contents.faults.first)
            #expect(fault.name == "ada.vcf")
            #expect(fault.sentence.contains("TEL is “2” here and “3” there"), "\(fault.sentence)")
        }
        #expect(try numbers == ["3"])
        #expect(try await save("4", to: source).isSent)
        let contents = try await source.contents()
        #expect(numbers(contents) == ["4"])
        #expect(contents.faults.isEmpty)
        #expect(contents.waiting == 0)
    }

    @Test("Saving the server's version discards a waiting edit") func givesUp() async throws {
        let source = try await waitingEdit()
        put("TEL:3")
        isAway(false)
        _ = try await source.contents()
        let original = try await source.vCard(reference)
        #expect(try await source.save(original, editedFrom: original, as: reference).isSent)
        #expect(try await account.open().contents().faults.isEmpty)
    }

    @Test("A waiting edit restores a card that was removed meanwhile") func restores() async throws {
        let source = try await waitingEdit()
        server.change { $0.set("ada.vcf", nil) }
        isAway(false)
        #expect(numbers(try await source.contents()) == ["2"])
        #expect(try numbers == ["2"])
    }

    @Test("A waiting removal is visible at once, and is sent by the next load") func removesLater() async throws {
        let source = try await account.loaded()
        let original = try await source.vCard(reference)
        isAway(true)
        #expect(try await source.remove(original, as: reference) == false)
        #expect(try await account.open().cached()?.entries == [])
        #expect(await code { _ = try await source.vCard(reference) } == .notFound)
        isAway(false)
        #expect(try await account.open().contents().entries == [])
        let isThere = server.change { [path] in $0.books[FakeDAVServer.book]?[path] != nil }
        #expect(!isThere)
    }

    @Test("A waiting removal does not remove a card that another program has changed") func removesNothingNew()
        async throws
    {
        let source = try await account.loaded()
        let original = try await source.vCard(reference)
        isAway(true)
        _ = try await source.remove(original, as: reference)
        put("TEL:3")
        isAway(false)
        let contents = try await source.contents()
        #expect(numbers(contents) == ["3"])
        #expect(contents.faults.count == 1)
    }

    @Test("An edit with a lost answer is sent again, and changes nothing twice") func lostAnswer() async throws {
        let source = try await account.loaded()
        let original = try await source.vCard(reference)
        let edited = original.with { $0.notes.append(Card.Note(id: "NOTE-1", note: "mine")) }
        // The server takes the card, and its answer does not arrive.
        server.answers { request in
            if request.headers["If-Match"] == nil { return nil }
            throw KithError(.offline, "The line was cut.")
        }
        #expect(try await source.save(edited, editedFrom: original, as: reference).isSent == false)
        server.answers { _ in nil }
        put("TEL:1", "NOTE:mine")
        let contents = try await account.open().contents()
        #expect(contents.waiting == 0)
        #expect(contents.faults.isEmpty)
        #expect(contents.entries[0].card.notes.map(\.note) == ["mine"])
    }

    @Test(
        "A refused edit throws, and is not kept", arguments: [(403, "forbidden"), (415, "invalid")])
    func refused(status: Int, expected: String) async throws {
        let source = try await account.loaded()
        server.answers { $0.method == "PUT" ? DAVResponse(status: status) : nil }
        #expect(await code { _ = try await save("2", to: source) }?.rawValue == expected)
        let contents = try await account.open().contents()
        #expect(contents.waiting == 0)
        #expect(numbers(contents) == ["1"])
    }

    @Test("An edit that makes the server fail stops neither other edits nor the load") func failing() async throws {
        let source = account.open()
        server.change { $0.set("grace.vcf", card("Grace", uid: "g", "TEL:7")) }
        _ = try await source.contents()
        isAway(true)
        _ = try await save("2", to: source)
        let grace = CardReference(FakeDAVServer.book + "grace.vcf")
        let original = try await source.vCard(grace)
        _ = try await source.save(original.with { $0.phones[0].number = "8" }, editedFrom: original, as: grace)
        server.change { [path] state in
            state.isAway = false
            state.script = { request in
                request.method == "PUT" && request.url.path() == path ? DAVResponse(status: 500) : nil
            }
        }
        let contents = try await source.contents()
        #expect(numbers(contents).sorted() == ["2", "8"])
        #expect(contents.waiting == 1)
        #expect(try numbers == ["1"])
        server.answers { _ in nil }
        #expect(try await source.contents().waiting == 0)
        #expect(try numbers == ["2"])
    }

    @Test("Offline, an account keeps edits and sends no requests") func offline()
        async throws
    {
        _ = try await account.open().contents()
        _ = server.asked()
        let source = CardDAVSource(
            at: account.address, user: "ada", password: FakeDAVServer.password, withoutTLS: false, id: "work",
            database: account.database, transport: server, clock: account.clock, schedule: account.schedule,
            isOffline: true)
        #expect(try await save("2", to: source).isSent == false)
        #expect(numbers(try await source.contents()) == ["2"])
        #expect(server.asked() == [])
        #expect(numbers(try await account.open().contents()) == ["2"])
        #expect(try numbers == ["2"])
    }
}
