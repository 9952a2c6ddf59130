import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

@Suite("A CardDAV account", .timeLimit(.minutes(15))) struct CardDAVTests {
    private let server = FakeDAVServer()
    private let account: Account

    init() throws { account = try Account(FakeDAVServer.address, server) }

    private func fill(_ count: Int) {
        server.change { state in
            for number in 0..<count { state.set("c\(number).vcf", card("Person \(number)", uid: "u\(number)")) }
        }
    }

    // MARK: What a load costs

    @Test("A load sends one request if nothing has changed, and otherwise requests only changes") func costs()
        async throws
    {
        fill(250)
        let source = try await account.loaded()
        #expect(server.asked().filter { $0.hasPrefix("REPORT") }.count == 4)  // The listing, and three batches.
        #expect(try await source.contents().entries.count == 250)
        #expect(server.asked() == ["PROPFIND /ada/"])
        server.change { $0.set("c7.vcf", card("Ada", uid: "u7")) }
        #expect(try await source.contents().names.contains("Ada"))
        #expect(server.asked() == ["PROPFIND /ada/", "REPORT /ada/friends/", "GET /ada/friends/c7.vcf"])
    }

    @Test("After a restart the cards are shown at once, and only changes are requested") func restart()
        async throws
    {
        fill(250)
        let contents = try await account.open().contents()
        server.change { $0.set("c7.vcf", nil) }
        _ = server.asked()
        let source = account.open()
        #expect(try await source.cached() == contents)
        #expect(server.asked() == [])
        #expect(try await source.contents().entries.count == 249)
        #expect(server.asked().suffix(2) == ["PROPFIND /ada/", "REPORT /ada/friends/"])
        #expect(try await account.open().cached()?.entries.count == 249)
    }

    @Test("Without a network, the last version is available, including whole cards") func offline() async throws {
        fill(3)
        let contents = try await account.open().contents()
        server.change { $0.isAway = true }
        let source = account.open()
        #expect(await code { _ = try await source.contents() } == .offline)
        #expect(try await source.cached() == contents)
        let reference = try contents.reference("Person 1")
        #expect(try await source.vCard(reference).bytes == card("Person 1", uid: "u1"))
        #expect(await code { _ = try await source.vCard(CardReference("/ada/friends/x.vcf")) } == .offline)
    }

    @Test("An address book that was never read is not shown as empty") func nothingCached() async throws {
        #expect(try await account.open().cached() == nil)
        server.change { $0.isAway = true }
        #expect(await code { _ = try await account.open().contents() } == .offline)
        #expect(try await account.open().cached() == nil)
    }

    @Test("An interrupted first load shows no partial result, and resumes where it stopped") func breaksOff()
        async throws
    {
        fill(250)
        server.answers { request in
            let body = request.text
            if body.contains("/c99.vcf") { throw KithError(.offline, "The train enters a tunnel.") }
            return nil
        }
        #expect(await code { _ = try await account.open().contents() } == .offline)
        #expect(try await account.open().cached() == nil)
        server.answers { _ in nil }
        _ = server.asked()
        #expect(try await account.open().contents().entries.count == 250)
        #expect(server.asked().filter { $0.hasPrefix("REPORT") }.count == 2)  // The listing, and one batch.
    }

    // MARK: What servers do

    @Test("A token that the server has forgotten costs a listing, and nothing else", arguments: [403, 409, 410, 500])
    func forgottenToken(status: Int) async throws {
        fill(3)
        let source = try await account.loaded()
        server.change { state in
            state.set("c1.vcf", nil)
            state.set("new.vcf", card("Ada", uid: "a"))
            state.script = { request in
                let body = request.text
                return body.contains("<sync-token>token") ? DAVResponse(status: status) : nil
            }
        }
        _ = server.asked()
        #expect(try await source.contents().names == ["Ada", "Person 0", "Person 2"])
        #expect(
            server.asked()
                == ["PROPFIND /ada/", "REPORT /ada/friends/", "REPORT /ada/friends/", "GET /ada/friends/new.vcf"])
    }

    @Test("A server without sync reports is read by entity tags") func withoutSync() async throws {
        server.change { $0.syncs = false }
        fill(3)
        let source = try await account.loaded()
        _ = server.asked()
        #expect(try await source.contents().entries.count == 3)
        #expect(server.asked() == ["PROPFIND /ada/"])
        server.change { state in
            state.set("c1.vcf", nil)
            state.set("c2.vcf", card("Ada", uid: "u2"))
        }
        #expect(try await source.contents().names == ["Ada", "Person 0"])
        #expect(server.asked() == ["PROPFIND /ada/", "PROPFIND /ada/friends/", "GET /ada/friends/c2.vcf"])
    }

    @Test("An answer in several parts is read to its end") func parted() async throws {
        server.change { $0.part = 7 }
        fill(20)
        let source = account.open()
        #expect(try await source.contents().entries.count == 20)
        server.change { state in for number in 0..<10 { state.set("c\(number).vcf", nil) } }
        #expect(try await source.contents().entries.count == 10)
    }

    @Test("Different notations of a path are equal", arguments: ["encoded", "absolute", "small"])
    func writtenPaths(manner: String) async throws {
        server.change { state in
            state.set("a@b (1) ü.vcf", card("Ada", uid: "a"))
            state.set("x~y+z.vcf", card("Grace", uid: "g"))
        }
        let source = account.open()
        let before = try await source.contents()
        server.change { state in
            state.writesPath = { path in
                switch manner {
                case "encoded": path.replacing("@", with: "%40").replacing("+", with: "%2B").replacing("(", with: "%28")
                case "absolute": "https://dav.example.com" + path
                default: path.replacing("%C3%BC", with: "%c3%bc").replacing("~", with: "%7e")
                }
            }
            state.oldest = 1_000
            state.set("new.vcf", card("New", uid: "n"))
        }
        _ = server.asked()
        let after = try await source.contents()
        #expect(try after.reference("Ada") == before.reference("Ada"))
        #expect(try after.reference("Grace") == before.reference("Grace"))
        #expect(server.asked().last == "GET /ada/friends/new.vcf")
        #expect(try await source.vCard(after.reference("Ada")).bytes == card("Ada", uid: "a"))
    }

    @Test("A card that makes an answer unreadable does not affect others: it is requested alone") func strayCharacters()
        async throws
    {
        fill(10)
        let odd = card("Vertical\u{B}Tab", uid: "odd")
        server.change { $0.set("odd.vcf", odd) }
        let contents = try await account.open().contents()
        #expect(contents.entries.count == 11)
        let reference = try #require(contents.entries.first { $0.card.uid == "odd" }).reference
        #expect(try await account.open().vCard(reference).bytes == odd)
    }

    @Test("Answers that are too long are requested in parts, and a card that is too long is a fault")
    func tooLong() async throws {
        fill(10)
        server.answers { request in
            let body = request.text
            let isLong =
                body.contains("/c3.vcf") || request.method == "GET" && request.url.path.hasSuffix("/c3.vcf")
            if isLong { throw KithError(.tooMany, "Too long.") }
            return nil
        }
        let source = account.open()
        let contents = try await source.contents()
        #expect(contents.entries.count == 9)
        #expect(contents.faults.count == 1 && contents.faults[0].name == "/ada/friends/c3.vcf")
        // It is not asked for again until it changes.
        _ = server.asked()
        #expect(try await source.contents() == contents)
        #expect(server.asked().count == 1)
    }

    @Test("All address books of an account are read; a deleted one disappears, a refused one keeps its cards")
    func books()
        async throws
    {
        server.change { state in
            state.set("a.vcf", card("Ada", uid: "a"))
            state.set("b.vcf", card("Boss", uid: "b"), in: "/ada/work/")
            state.set("c.vcf", card("Club", uid: "c"), in: "/ada/club/")
        }
        let source = account.open()
        #expect(try await source.contents().names == ["Ada", "Boss", "Club"])
        server.change { state in
            state.books["/ada/club/"] = nil
            state.set("b2.vcf", card("Boss 2", uid: "b2"), in: "/ada/work/")
            state.script = { $0.url.path.hasPrefix("/ada/work") ? DAVResponse(status: 403) : nil }
        }
        let contents = try await source.contents()
        #expect(contents.names == ["Ada", "Boss"])
        #expect(contents.faults.map(\.name) == ["/ada/work/"])
        #expect(try await account.open().cached()?.names == ["Ada", "Boss"])
    }

    @Test("A server that reports no address books once does not remove them from the device") func lostBooks()
        async throws
    {
        fill(3)
        let source = account.open()
        let contents = try await source.contents()
        server.change { $0.books = [:] }
        #expect(await code { _ = try await source.contents() } == .notFound)
        #expect(try await account.open().cached() == contents)
    }

    @Test("An account that has moved is found again") func moved() async throws {
        fill(3)
        let source = account.open()
        let contents = try await source.contents()
        server.answers { request in
            guard request.url.path.hasPrefix("/ada") else { return nil }
            return DAVResponse(status: 404)
        }
        #expect(await code { _ = try await source.contents() } == .notFound)
        server.answers { _ in nil }
        #expect(try await source.contents() == contents)
    }

    @Test("Progress counts the cards of all books together") func progress() async throws {
        fill(150)
        server.change { state in
            for number in 0..<30 { state.set("\(number).vcf", card("W", uid: "w\(number)"), in: "/ada/work/") }
        }
        let heard = Kept<[String]>([])
        _ = try await account.open().load(LoadProgress { done, of in heard.change { $0.append("\(done)/\(of ?? 0)") } })
        #expect(heard.value == ["100/180", "150/180", "180/180"])
    }

    // MARK: Changes

    @Test("It polls at its interval, and reports only that something has changed") func polls() async throws {
        fill(1)
        let source = account.open()
        let heard = Kept(0)
        let (elements, element) = AsyncStream.makeStream(of: Void.self)
        let changes = source.changes()
        let listening = Task {
            for await _ in changes {
                heard.change { $0 += 1 }
                element.yield()
            }
        }
        _ = try await source.contents()
        for _ in 0..<5 { await account.clock.pass(Account.pollingInterval) }
        await account.clock.asleep()
        _ = server.asked()
        server.change { $0.set("c0.vcf", card("Ada", uid: "u0")) }
        await account.clock.pass(Account.pollingInterval)
        for await _ in elements { break }
        #expect(server.asked() == ["PROPFIND /ada/"])
        #expect(heard.value == 1)
        listening.cancel()
    }

    @Test("It waits as long as the server asks for") func retryAfter() async throws {
        let source = account.open()
        let changes = source.changes()
        _ = try await source.contents()
        server.answers { _ in DAVResponse(status: 503, headers: ["retry-after": "100"]) }
        await account.clock.pass(Account.pollingInterval)
        await account.clock.asleep()
        _ = server.asked()
        await account.clock.pass(Account.pollingInterval)
        #expect(server.asked() == [])
        await account.clock.pass(.seconds(40))
        await account.clock.asleep()
        #expect(server.asked() == ["PROPFIND /ada/"])
        _ = changes
    }

    @Test("Trap: a server asks to wait forever, and the time overflows – it is asked again after a day")
    func retryNever() async throws {
        let source = account.open()
        let changes = source.changes()
        _ = try await source.contents()
        server.answers { _ in DAVResponse(status: 503, headers: ["retry-after": "9223372036854775807"]) }
        await account.clock.pass(Account.pollingInterval)
        await account.clock.asleep()
        _ = server.asked()
        await account.clock.pass(.seconds(86_400))
        await account.clock.asleep()
        #expect(server.asked() == ["PROPFIND /ada/"])
        _ = changes
    }
}
