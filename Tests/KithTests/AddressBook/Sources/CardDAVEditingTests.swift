import Foundation
import GRDB
import Kith
import KithAddressBook
import KithCards
import Testing

@Suite("Editing the cards of a CardDAV account", .timeLimit(.minutes(15))) struct CardDAVEditingTests {
    private let server = FakeDAVServer()
    /// Holds or loses the answers to `PUT`, after the server has taken the card.
    private let gate = AnswerGate()
    private let account: Account
    private let path = FakeDAVServer.book + "ada.vcf"
    private var reference: CardReference { CardReference(path) }

    init() throws {
        account = try Account(FakeDAVServer.address, GatedTransport(server, gate))
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

    /// Begins to save another number, and returns when the edit is stored.
    private func begin(_ number: String, to source: CardDAVSource) async throws -> Task<SavedCard, any Error> {
        let saving = Task { try await save(number, to: source) }
        try await until { Card(try await source.vCard(reference)).phones.map(\.number) == [number] }
        return saving
    }

    /// Begins to save a number, and returns when the answer to its `PUT` is held.
    private func beginHeld(_ number: String, to source: CardDAVSource) async throws -> Task<SavedCard, any Error> {
        gate.close()
        let saving = try await begin(number, to: source)
        try await until { gate.held == 1 }
        return saving
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
        // Nobody knows yet whether the server has the edit.
        #expect(try await save("1", to: source).isSent == false)
        isAway(false)
        _ = server.asked()
        #expect(try await source.contents().waiting == 0)
        #expect(!server.asked().contains { $0.hasPrefix("PUT") })
    }

    @Test("An edit that is undone after its answer was lost is undone on the server") func takenBackLater()
        async throws
    {
        let source = try await account.loaded()
        gate.lose()
        #expect(try await save("2", to: source).isSent == false)
        #expect(try await save("1", to: source).isSent == false)
        gate.open()
        let contents = try await account.open().contents()
        #expect(numbers(contents) == ["1"])
        #expect(contents.waiting == 0)
        #expect(contents.faults.isEmpty)
        #expect(try numbers == ["1"])
    }

    @Test("Undoing an edit with a lost answer keeps another program's change of another property")
    func takenBackBesideTheirs() async throws {
        let source = try await account.loaded()
        gate.lose()
        _ = try await save("2", to: source)
        put("TEL:2", "NOTE:theirs")
        gate.open()
        #expect(try await save("1", to: source).isSent)
        #expect(try numbers == ["1"])
        #expect(Card(try await source.vCard(reference)).notes.map(\.note) == ["theirs"])
    }

    @Test("An edit that is undone after its answer was lost does not restore a card that was removed meanwhile")
    func takenBackOfNothing() async throws {
        let source = try await account.loaded()
        gate.lose()
        _ = try await save("2", to: source)
        isAway(true)
        _ = try await save("1", to: source)
        server.change { $0.set("ada.vcf", nil) }
        gate.open()
        isAway(false)
        #expect(try await account.open().contents().entries == [])
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
            #expect(contents.waiting == 0 && contents.unsent.map(\.isRefused) == [true])
            let fault = try #require(contents.faults.first)
            #expect(fault.name == "/ada/friends/ada.vcf")
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

    @Test("An edit with a lost answer can be edited again, whether the server has it or not", arguments: [true, false])
    func lostAnswerThenEdited(isTaken: Bool) async throws {
        let source = try await account.loaded()
        if isTaken { gate.lose() } else { isAway(true) }
        #expect(try await save("2", to: source).isSent == false)
        gate.open()
        isAway(false)
        #expect(try numbers == [isTaken ? "2" : "1"])
        #expect(try await save("3", to: source).isSent)
        let contents = try await account.open().contents()
        #expect(numbers(contents) == ["3"])
        #expect(contents.waiting == 0)
        #expect(contents.faults.isEmpty)
        #expect(try numbers == ["3"])
    }

    @Test("Edits with lost answers are combined, also with another program's change of another property")
    func lostAnswersAndTheirs() async throws {
        let source = try await account.loaded()
        gate.lose()
        _ = try await save("2", to: source)
        put("TEL:2", "NOTE:theirs")
        _ = try await save("3", to: source)
        _ = try await save("4", to: account.open())
        gate.open()
        let contents = try await account.open().contents()
        #expect(numbers(contents) == ["4"])
        #expect(contents.entries[0].card.notes.map(\.note) == ["theirs"])
        #expect(contents.faults.isEmpty)
        #expect(try numbers == ["4"])
    }

    @Test("Edits of one property that are saved while another is on its way are all sent") func inQuickSuccession()
        async throws
    {
        let source = try await account.loaded()
        let first = try await beginHeld("2", to: source)
        let second = try await begin("3", to: source)
        let third = try await begin("4", to: source)
        gate.open()
        for saving in [first, second, third] { #expect(try await saving.value.isSent) }
        #expect(try numbers == ["4"])
        let contents = try await account.open().contents()
        #expect(contents.waiting == 0)
        #expect(contents.faults.isEmpty)
    }

    @Test("A card can be removed while an edit of it is on its way") func removedOnTheWay() async throws {
        let source = try await account.loaded()
        let saving = try await beginHeld("2", to: source)
        let original = try await source.vCard(reference)
        let removing = Task { try await source.remove(original, as: reference) }
        try await until { await code { _ = try await source.vCard(reference) } == .notFound }
        gate.open()
        #expect(try await saving.value.isSent)
        #expect(try await removing.value)
        #expect(try await account.open().contents().entries == [])
    }

    @Test("An edit that is made while a merged one is on its way keeps another program's change") func keepsTheirs()
        async throws
    {
        let source = try await waitingEdit()
        let read = try await source.vCard(reference)
        put("TEL:1", "NOTE:theirs")
        isAway(false)
        gate.close()
        let loading = Task { try await source.contents() }
        try await until { gate.held == 1 }
        let saving = Task {
            try await source.save(read.with { $0.phones[0].number = "3" }, editedFrom: read, as: reference)
        }
        try await until { Card(try await source.vCard(reference)).phones.map(\.number) == ["3"] }
        saving.cancel()
        gate.open()
        #expect(try await saving.value.isSent == false)
        _ = try await loading.value
        let contents = try await source.contents()
        #expect(numbers(contents) == ["3"])
        #expect(contents.entries[0].card.notes.map(\.note) == ["theirs"])
        #expect(contents.waiting == 0)
        #expect(try numbers == ["3"])
    }

    @Test("An edit that is saved while an earlier one is being refused is sent, or throws as well")
    func savedDuringRefusal() async throws {
        let source = try await account.loaded()
        server.answers { $0.method == "PUT" ? DAVResponse(status: 403) : nil }
        let first = try await beginHeld("2", to: source)
        let second = try await begin("3", to: source)
        gate.open()
        #expect(await code { _ = try await first.value } == .forbidden)
        #expect(await code { _ = try await second.value } == .forbidden)
        #expect(try numbers == ["1"])
        #expect(try await source.contents().faults.isEmpty)
        let third = try await beginHeld("4", to: source)
        let fourth = try await begin("5", to: source)
        server.answers { _ in nil }
        gate.open()
        #expect(await code { _ = try await third.value } == .forbidden)
        #expect(try await fourth.value.isSent)
        #expect(try numbers == ["5"])
    }

    @Test("An edit that is saved while a load is being refused an earlier one throws, and is kept as a fault")
    func savedDuringRefusedLoad() async throws {
        let source = try await waitingEdit()
        isAway(false)
        server.answers { $0.method == "PUT" ? DAVResponse(status: 403) : nil }
        gate.close()
        let loading = Task { try await source.contents() }
        try await until { gate.held == 1 }
        let saving = try await begin("3", to: source)
        gate.open()
        _ = try await loading.value
        #expect(await code { _ = try await saving.value } == .forbidden)
        #expect(try numbers == ["1"])
        #expect(try await source.contents().faults.count == 1)
    }

    @Test("An edit that an earlier version has stored is sent") func storedEarlier() async throws {
        let database = try DatabaseQueue()
        try AddressBookSchema.migrator.migrate(database, upTo: "2: edits that wait for an account")
        let (original, edited) = (card("Ada", uid: "a", "TEL:1"), card("Ada", uid: "a", "TEL:2"))
        put("TEL:1", "NOTE:theirs")
        try await database.write { [path] db in
            try db.execute(
                sql: "INSERT INTO waitingEdit (source, book, path, original, edited) VALUES ('work', ?, ?, ?, ?)",
                arguments: [FakeDAVServer.book, path, Data(original), Data(edited)])
        }
        try AddressBookSchema.migrator.migrate(database)
        let source = CardDAVSource(
            at: account.address, user: "ada", password: FakeDAVServer.password, withoutTLS: false, id: "work",
            database: database, transport: server, clock: account.clock, schedule: account.schedule)
        let contents = try await source.contents()
        #expect(numbers(contents) == ["2"])
        #expect(contents.entries[0].card.notes.map(\.note) == ["theirs"])
        #expect(contents.waiting == 0)
        #expect(try numbers == ["2"])
    }

    @Test(
        "A refused edit throws, and is not kept", arguments: [(403, "forbidden"), (415, "refused")])
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
        // An edit that was never sent can be undone without the server.
        #expect(try await save("1", to: source).isSent)
        #expect(try await source.contents().waiting == 0)
        #expect(try await save("2", to: source).isSent == false)
        #expect(numbers(try await source.contents()) == ["2"])
        #expect(server.asked() == [])
        #expect(numbers(try await account.open().contents()) == ["2"])
        #expect(try numbers == ["2"])
    }
}

/// Passes the answers to `PUT` through a gate.
private final class GatedTransport: DAVTransport {
    private let server: FakeDAVServer
    private let gate: AnswerGate

    init(_ server: FakeDAVServer, _ gate: AnswerGate) { (self.server, self.gate) = (server, gate) }

    func send(_ request: DAVRequest) async throws -> DAVResponse {
        let answer = try await server.send(request)
        if request.method == "PUT" { try await gate.pass() }
        return answer
    }
}
