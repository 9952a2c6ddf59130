import Foundation
import Kith
import KithAddressBook
import KithModel
import Testing

@Suite("Cards that a server does not return", .timeLimit(.minutes(15))) struct CardDAVRefusalTests {
    private let server = FakeDAVServer()
    private let account: Account
    private let odd = FakeDAVServer.book + "c1.vcf"

    init() throws {
        account = try Account(FakeDAVServer.address, server)
        server.change { state in
            for number in 0..<3 { state.set("c\(number).vcf", card("Person \(number)", uid: "u\(number)")) }
        }
    }

    @Test(
        "A refused card keeps its last version, is reported, and is requested until it arrives",
        arguments: [403, 500, 405])
    func refused(status: Int) async throws {
        let source = try await account.loaded()
        server.change { [odd] state in
            state.set("c1.vcf", card("Ada", uid: "u1"))
            state.set("c2.vcf", card("Grace", uid: "u2"))
            state.refuses[odd] = status
        }
        for source in [source, account.open()] {
            let contents = try await source.contents()
            #expect(contents.names == ["Grace", "Person 0", "Person 1"])
            #expect(
                contents.faults.count == 1 && contents.faults[0].name == "/ada/friends/c1.vcf"
                    && contents.faults[0].sentence.hasPrefix("dav.example.com"))
        }
        let kept = try #require(try await account.open().cached())
        #expect(kept.names == ["Grace", "Person 0", "Person 1"])
        #expect(kept.faults.count == 1 && kept.faults[0].name == "/ada/friends/c1.vcf")
        _ = server.asked()
        server.change { $0.refuses = [:] }
        let contents = try await source.contents()
        #expect(contents.names == ["Ada", "Grace", "Person 0"] && contents.faults == [])
        #expect(server.asked() == ["PROPFIND /ada/", "GET \(odd)"])
        _ = try await source.contents()
        #expect(server.asked() == ["PROPFIND /ada/"])
    }

    @Test("A refused new card is reported, and does not stop the others") func newAndRefused() async throws {
        server.change { [odd] in $0.refuses[odd] = 500 }
        let source = account.open()
        #expect(try await source.contents().names == ["Person 0", "Person 2"])
        #expect(try await account.open().cached()?.faults.count == 1)
        server.change { $0.refuses = [:] }
        #expect(try await source.contents().names == ["Person 0", "Person 1", "Person 2"])
    }

    @Test("A card that is refused and then removed disappears", arguments: [true, false]) func removed(syncs: Bool)
        async throws
    {
        server.change { [odd] state in
            state.syncs = syncs
            state.refuses[odd] = 403
        }
        let source = account.open()
        #expect(try await source.contents().faults.count == 1)
        server.change { state in
            state.refuses = [:]
            state.set("c1.vcf", nil)
        }
        let contents = try await source.contents()
        #expect(contents.names == ["Person 0", "Person 2"] && contents.faults == [])
    }

    @Test("Trap: an answer omits a card, which then counts as removed – it is requested alone") func leftOut()
        async throws
    {
        let source = account.open()
        server.change { [odd] in $0.omits = [odd] }
        let contents = try await source.contents()
        #expect(contents.names == ["Person 0", "Person 1", "Person 2"] && contents.faults == [])
        #expect(server.asked().last == "GET \(odd)")
    }

    @Test("One card that breaks every answer it is in costs only itself", arguments: [500, 400])
    func breaksAnswers(status: Int) async throws {
        server.answers { [odd] request in
            let body = request.text
            return body.contains(odd) || request.url.path == odd ? DAVResponse(status: status) : nil
        }
        let contents = try await account.open().contents()
        #expect(contents.names == ["Person 0", "Person 2"] && contents.faults.count == 1)
    }

    @Test("Cards that time out together are requested in halves, and a single card only once") func tooSlow()
        async throws
    {
        server.answers { request in
            let body = request.text
            guard body.contains("/c0.vcf") && body.contains("/c2.vcf") else { return nil }
            throw KithError(.offline, "Too slow.", cause: DAVTooSlow(cause: CancellationError()))
        }
        #expect(try await account.open().contents().entries.count == 3)
        #expect(server.asked().suffix(2) == ["GET /ada/friends/c0.vcf", "REPORT /ada/friends/"])
    }

    @Test(
        "A busy server is not asked again for a while, and no card counts as faulty", arguments: [429, 502, 503, 504])
    func busy(status: Int) async throws {
        server.change { [odd] in $0.refuses[odd] = status }
        #expect(await code { _ = try await account.open().contents() } == .busy)
        server.change { $0.refuses = [:] }
        #expect(try await account.open().contents().entries.count == 3)
    }

    @Test("A server that returns none of many cards has failed") func noneOfMany() async throws {
        server.change { state in
            for number in 0..<200 { state.set("m\(number).vcf", card("Many \(number)", uid: "m\(number)")) }
            state.script = { request in
                request.method == "GET" || request.text.contains("multiget") ? DAVResponse(status: 500) : nil
            }
        }
        #expect(await code { _ = try await account.open().contents() } == .busy)
        server.answers { _ in nil }
        #expect(try await account.open().contents().entries.count == 203)
    }
}
