import Foundation
import Kith
import KithModel
import Testing

@Suite("Programmes on a device") struct ProgrammeTests {
    private let phone: Phone
    /// Nothing that waits for the server gives up before a test says so.
    private let pauses = Pauses()
    private let answers = Kept<[ShareProgramme]>([])

    init() throws {
        phone = try Phone(address: "https://kith.example", pauses: pauses)
        let friends = ShareProgramme(
            name: "friends", title: "Tea for two", text: "Come!",
            shares: [
                .link: .init(text: "{{name}} drinks tea: {{link}}"),
                .message: .init(subject: "Tea", text: "Use {{code}}."),
            ], zones: [.init(name: "banner", content: #"{"show": true}"#)],
            codes: ShareCodeRules(lengths: 5...9, reserved: ["kith"]))
        answers.change { $0 = [friends] }
        phone.server.wire.instead = answer
    }

    private var sharing: Sharing { phone.client.sharing }

    /// Answers the request for programmes in the server's stead.
    private var answer: @Sendable (TransportRequest) throws -> TransportResponse? {
        { [answers] request in
            guard request.path == "/v1/programmes" else { return nil }
            let body = try JSONEncoder().encode(ShareProgrammeList(programmes: answers.value))
            return TransportResponse(status: 200, body: body)
        }
    }

    private var fetches: [TransportRequest] { phone.server.requests.filter { $0.path == "/v1/programmes" } }

    @Test("Programmes are fetched once, with the session and the user's languages, and read offline after that")
    func cached() async throws {
        try await phone.client.network.updateProfile { $0.language = "de-AT" }
        let programmes = try await sharing.programmes()
        #expect(programmes == answers.value)
        #expect(try await sharing.programme("friends").zones.map(\.name) == ["banner"])
        #expect(fetches.count == 1)
        #expect(fetches.first?.token != nil && fetches.first?.languages.first == "de-AT")
        phone.server.goAway()
        phone.clock.advance(by: .days(30))
        #expect(try await sharing.programmes() == programmes)
        #expect(try await sharing.programme("friends") == programmes.first)
    }

    @Test("Stored programmes are fetched again when they are too old, or in another language") func again()
        async throws
    {
        _ = try await sharing.programmes()
        phone.clock.advance(by: .seconds(899))
        _ = try await sharing.programmes()
        #expect(fetches.count == 1)
        answers.change { $0[0].isPaused = true }
        phone.clock.advance(by: .seconds(1))
        #expect(try await sharing.programme("friends").isPaused)
        #expect(fetches.count == 2)
        _ = try await sharing.programmes(maxAge: .zero)
        #expect(fetches.count == 3)
        try await phone.client.network.updateProfile { $0.language = "fr" }
        _ = try await sharing.programmes()
        #expect(fetches.count == 4)
    }

    @Test("An account that becomes identified gets its own zones") func identified() async throws {
        _ = try await sharing.programmes()
        let account = try present(await phone.client.session.account())
        answers.change { $0[0].zones = [.init(name: "thanks", content: "{}")] }
        phone.server.change { $0.identify(account) }
        try await phone.client.syncNow()
        #expect(try await sharing.programme("friends").zones.map(\.name) == ["thanks"])
        #expect(fetches.count == 2)
    }

    @Test("Without the server and without stored programmes there are none, and an unknown name is an error of its own")
    func none() async throws {
        phone.server.goAway()
        #expect(await code { _ = try await sharing.programmes() } == .offline)
        phone.server.wire.instead = answer
        #expect(await code { _ = try await sharing.programme("winter") } == .noProgramme)
        var live = sharing.liveProgrammes().makeAsyncIterator()
        #expect(await live.next() == answers.value)
        answers.change { $0 = [] }
        _ = try await sharing.programmes(maxAge: .zero)
        #expect(await live.next() == [])
    }

    @Test("Law 8: Another account does not see the programmes that were fetched for the former one") func walls()
        async throws
    {
        _ = try await sharing.programmes()
        try await phone.client.session.logOut()
        #expect(await code { _ = try await sharing.programmes() } == .unauthorized)
        try await phone.switchAccount()
        answers.change { $0 = [] }
        #expect(try await sharing.programmes().isEmpty)
    }

    @Test("A chosen code is checked by the rules of the programme, if the device knows them") func rules()
        async throws
    {
        let id = try await sharing.shareable(in: "friends").id
        try await sharing.setCode("my-kith", of: id)
        _ = try await sharing.programmes()
        #expect(await code { try await sharing.setCode("kith-tea", of: id) } == .codeReserved)
        #expect(await code { try await sharing.setCode("tea", of: id) } == .codeLength)
        #expect(await code { try await sharing.setCode("much-too-long", of: id) } == .codeLength)
        try await sharing.setCode("teatime", of: id)
        #expect(try await sharing.shareable(id)?.code.text == "TEATIME")
    }

    @Test("A composed share has the programme's text for the channel, with the link, the code and my name")
    func composing() async throws {
        try await phone.client.network.updateProfile { $0.given = "Ada {{code}}" }
        let id = try await sharing.shareable(in: "friends").id
        try await sharing.setCode("ADA-TEA", of: id)
        let link = "https://kith.example/s/ADA-TEA"
        phone.server.goAway()
        #expect(try await sharing.compose(id, by: .sheet).text == "\(link)?c=sheet", "Only the link is known.")
        phone.server.wire.instead = answer
        let sheet = try await sharing.compose(id, by: .sheet)
        #expect(sheet.text == "Ada {{code}} drinks tea: \(link)?c=sheet" && sheet.subject == nil)
        #expect(sheet.link == "\(link)?c=sheet" && sheet.channel == .sheet && sheet.shareable.id == id)
        let message = try await sharing.compose(id, by: .message)
        #expect(message.text == "Use ADA-TEA.\n\n\(link)?c=message" && message.subject == "Tea")
        #expect(try await sharing.shares().isEmpty, "Nothing is shared yet.")
        #expect(await code { _ = try await sharing.compose(ShareableID(UUID()), by: .sheet) } == .notFound)
    }

    @Test(
        "Trap: The server does not answer – after two seconds a share is composed with the stored text",
        .timeLimit(.minutes(15)))
    func silentServer() async throws {
        let id = try await sharing.shareable(in: "friends").id
        _ = try await sharing.programmes()
        phone.clock.advance(by: .minutes(15))
        phone.server.wire.before = { request in
            if request.path == "/v1/programmes" { try await until { false } }
        }
        let sheet = Task { try await sharing.compose(id, by: .sheet) }
        try await until { pauses.underWay == [.seconds(2)] }
        pauses.end(upTo: .seconds(2))
        #expect(try await sheet.value.text.contains("drinks tea: https://kith.example/s/"))
    }

    @Test("A paused programme says so where something is shared in it, also offline") func paused() async throws {
        let id = try await sharing.shareable(in: "friends").id
        #expect(try await !sharing.isPaused(id), "The programmes are not known yet.")
        answers.change { $0[0].isPaused = true }
        #expect(try await sharing.compose(id, by: .sheet).isPaused)
        phone.server.goAway()
        #expect(try await sharing.isPaused(id))
        #expect(try await sharing.compose(id, by: .sheet).isPaused)
        #expect(try await !sharing.isPaused(ShareableID(UUID())))
    }

    @Test("The user's languages are sent with falling weight, at most ten, and only tags") func languages() {
        func header(_ tags: [String]) -> String? {
            TransportRequest(method: "GET", path: "/", languages: tags).acceptLanguage
        }
        #expect(header([]) == nil)
        #expect(header(["fr"]) == "fr")
        #expect(header(["de-AT", "de", "en"]) == "de-AT, de;q=0.9, en;q=0.8")
        #expect(header(["de\r\nHost: x", "", "en"]) == "en")
        let many = header((1...12).map { "x\($0)" })
        #expect(many?.hasPrefix("x1, x2;q=0.9") == true && many?.hasSuffix("x10;q=0.1") == true)
    }
}
