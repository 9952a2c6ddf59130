import Foundation
import Kith
import KithAddressBook
import KithCards
import Synchronization
import Testing

@Suite("How an account is found, and which server gets its password", .timeLimit(.minutes(15))) struct DAVTrustTests {
    private let server = FakeDAVServer()

    private func open(_ address: String, withoutTLS: Bool = false) throws -> CardDAVSource {
        var account = try Account(try #require(URL(string: address)), server)
        account.withoutTLS = withoutTLS
        return account.open()
    }

    private func error(_ source: CardDAVSource) async -> KithError? {
        do {
            _ = try await source.contents()
            return nil
        } catch { return error as? KithError }
    }

    @Test(
        "The address books are found from the address that a user knows",
        arguments: ["", "/", "/ada/", "/principals/ada/", "/ada/friends/", "/ada/friends", "/nothing/here"])
    func discovery(path: String) async throws {
        server.change { $0.set("a.vcf", card("Ada", uid: "a")) }
        #expect(try await open("https://dav.example.com" + path).contents().names == ["Ada"])
    }

    @Test("A server without address books has its own error") func nothingThere() async throws {
        server.answers { _ in DAVResponse(status: 207, body: Data(#"<multistatus xmlns="DAV:"/>"#.utf8)) }
        #expect(await error(try open("https://dav.example.com/"))?.code == .notFound)
        server.answers { _ in DAVResponse(status: 200, body: Data("<html><p>Welcome".utf8)) }
        #expect(await error(try open("https://dav.example.com/"))?.code == .malformed)
    }

    @Test(
        "Trap: a redirect turns PROPFIND into GET – the method is kept, within the host",
        arguments: [301, 302, 307, 308])
    func redirect(status: Int) async throws {
        server.change { state in
            state.set("a.vcf", card("Ada", uid: "a"))
            state.script = { request in
                request.url.path.hasPrefix("/old")
                    ? DAVResponse(status: status, headers: ["location": "../ada/friends/"]) : nil
            }
        }
        #expect(try await open("https://dav.example.com/old/book").contents().names == ["Ada"])
        #expect(server.asked().allSatisfy { !$0.hasPrefix("GET /old") })
    }

    @Test("A cycle of redirects ends") func circle() async throws {
        server.answers { _ in DAVResponse(status: 301, headers: ["location": "/again"]) }
        #expect(await error(try open("https://dav.example.com/book/"))?.code == .refused)
        #expect(server.asked().count < 20)
    }

    @Test(
        "Trap: the password is sent to another host – it is only sent to the account's server",
        arguments: [
            "https://evil.example.net/", "https://dav.example.com.evil.net/", "http://dav.example.com/",
            "https://dav.example.com:8443/", "//evil.example.net/", "https://dav.example.com@evil.example.net/",
        ])
    func otherHosts(location: String) async throws {
        server.answers { _ in DAVResponse(status: 301, headers: ["location": location]) }
        let refusal = try #require(await error(try open("https://dav.example.com/book/")))
        #expect(refusal.code == .refused)
        let elsewhere = server.change { state in
            state.requests.filter {
                $0.url.host() != "dav.example.com" || $0.url.scheme != "https" || $0.url.port != nil
            }
        }
        #expect(elsewhere.isEmpty)
    }

    @Test("An answer that points to another host is not followed either") func otherHostInAnswer() async throws {
        let answer = """
            <multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"><response><href>/</href><propstat><prop>
            <C:addressbook-home-set><href>https://p42.example.net/ada/</href></C:addressbook-home-set>
            </prop></propstat></response></multistatus>
            """
        server.answers { _ in DAVResponse(status: 207, body: Data(answer.utf8)) }
        let refusal = try #require(await error(try open("https://dav.example.com/")))
        #expect(refusal.code == .refused)
        // It says what to do: that address is the one to add.
        #expect(refusal.sentence.contains("https://p42.example.net/ada/"))
        #expect(server.change { $0.requests.allSatisfy { $0.url.host() == "dav.example.com" } })
    }

    @Test("Without TLS the password is sent only to this device itself, or if the user allowed it") func withoutTLS()
        async throws
    {
        #expect(await error(try open("http://dav.example.com/"))?.code == .refused)
        #expect(server.asked() == [])
        for address in ["http://127.0.0.1:5232/", "http://localhost/", "http://[::1]:80/"] {
            #expect(await error(try open(address)) == nil, "\(address)")
        }
        #expect(await error(try open("http://dav.example.com/", withoutTLS: true)) == nil)
    }

    @Test("A redirect to TLS is followed") func upgrade() async throws {
        server.answers { request in
            request.url.scheme == "http"
                ? DAVResponse(status: 301, headers: ["location": "https://dav.example.com" + request.url.path()]) : nil
        }
        #expect(await error(try open("http://dav.example.com/ada/friends/", withoutTLS: true)) == nil)
    }

    @Test(
        "Each refusal has its own code and advice",
        arguments: [
            (401, "unauthorized"), (403, "forbidden"), (404, "notFound"), (410, "notFound"), (408, "busy"),
            (429, "busy"), (500, "busy"), (503, "busy"), (507, "refused"), (418, "refused"),
        ])
    func refusals(status: Int, expected: String) async throws {
        server.answers { _ in DAVResponse(status: status, headers: ["retry-after": "7"]) }
        let refusal = try #require(await error(try open("https://dav.example.com/book/")))
        #expect(refusal.code.rawValue == expected)
        #expect(refusal.retryAfter == .seconds(7))
        #expect(refusal.sentence.contains("dav.example.com"))
    }

    @Test(
        "The wait that a server asks for is at most a day, in any notation",
        arguments: [
            ("7", 7), ("0", 0), (" 7 ", 7), ("86401", 86_400), ("9223372036854775807", 86_400),
            ("99999999999999999999", 86_400), ("-1", nil), ("", nil), ("soon", nil), ("1.5", nil),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
            ("Sun Nov  6 08:50:37 1994", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
        ] as [(String, Int?)])
    func retryAfter(text: String, seconds: Int?) async throws {
        let headers = ["retry-after": text, "date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        server.answers { _ in DAVResponse(status: 503, headers: headers) }
        let refusal = try #require(await error(try open("https://dav.example.com/book/")))
        #expect(refusal.retryAfter == seconds.map { .seconds($0) })
    }

    @Test("A wrong password and an unknown way to sign in have their own errors") func signingIn()
        async throws
    {
        let account = try Account(FakeDAVServer.address, server)
        let wrong = await error(account.open(password: "wrong"))
        #expect(wrong?.code == .unauthorized && wrong?.sentence.contains("“ada”") == true)
        server.answers { _ in DAVResponse(status: 401, headers: ["www-authenticate": "Negotiate"]) }
        let unknown = await error(account.open())
        #expect(unknown?.code == .unauthorized && unknown?.sentence.contains("Basic") == true)
    }

    @Test("A server that takes only Digest is signed in to with Digest, and is not given the password again")
    func digest() async throws {
        let challenge = ["www-authenticate": "Digest realm=\"books\", nonce=\"abc\", qop=\"auth\""]
        server.change { state in
            state.set("a.vcf", card("Ada", uid: "a"))
            state.script = { $0.digest == nil ? DAVResponse(status: 401, headers: challenge) : nil }
        }
        let source = try Account(FakeDAVServer.address, server).open()
        #expect(try await source.contents().names == ["Ada"])
        let requests = server.change { $0.requests }
        #expect(requests.count > 3)
        #expect(requests.filter { $0.digest == nil }.count == 1)
        #expect(requests.dropFirst().allSatisfy { $0.headers["Authorization"] == nil })
        // A wrong password is told as such.
        server.answers { _ in DAVResponse(status: 401, headers: challenge) }
        let wrong = await error(try Account(FakeDAVServer.address, server).open())
        #expect(wrong?.code == .unauthorized && wrong?.sentence.contains("“ada”") == true)
    }

    @Test("Concurrent requests that are asked for Digest are all signed in") func digestAtOnce()
        async throws
    {
        for name in ["a", "b", "c"] { server.change { $0.set(name + ".vcf", card(name, uid: name)) } }
        let account = try Account(FakeDAVServer.address, server)
        let entries = try await account.open().contents().entries
        let crowd = ChallengingTransport(server, size: entries.count)
        let source = CardDAVSource(
            at: account.address, user: "ada", password: FakeDAVServer.password, withoutTLS: false, id: "work",
            database: account.database, transport: crowd, clock: account.clock,
            schedule: account.schedule)
        let names = try await withThrowingTaskGroup(of: String?.self) { group in
            for entry in entries {
                group.addTask { try await Card(source.vCard(entry.reference)).name.full }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1 ?? "") }
        }
        #expect(names == ["a", "b", "c"])
    }

    @Test("Texts in a request are escaped") func escaped() async throws {
        server.change { state in
            state.set("a&b<c>\"d'.vcf", card("Ada", uid: "a"))
            state.set("e.vcf", card("Grace", uid: "g"))
        }
        let source = try open("https://dav.example.com/")
        #expect(try await source.contents().names == ["Ada", "Grace"])
        let token = "a&b<c>\"d'\u{B}"
        #expect(DAVBody.escaped(token) == "a&amp;b&lt;c&gt;&quot;d'")
    }

    @Test(
        "Trap: an answer's entities grow without end, or read files – entities are refused",
        arguments: [
            #"<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><a>&c;</a>"#,
            #"<?xml version="1.0"?><!-- <a> --><!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>"#,
            #"<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><multistatus xmlns="DAV:">&b;</multistatus>"#,
            #"<!-- --> <?x <!-- ?><!DOCTYPE a><multistatus xmlns="DAV:"/>"#,
        ])
    func entities(answer: String) async throws {
        server.answers { _ in DAVResponse(status: 207, body: Data(answer.utf8)) }
        #expect(await error(try open("https://dav.example.com/ada/friends/"))?.code == .malformed)
    }

    @Test("Entities in UTF-16 are refused, too") func utf16() throws {
        let answer = #"<?xml version="1.0"?><multistatus xmlns="DAV:"/>"#
        #expect(throws: Never.self) { try Multistatus(Data(answer.utf8)) }
        let wide = try #require(answer.data(using: .utf16))
        #expect(throws: KithError.self) { try Multistatus(wide) }
    }

    @Test("Trap: an answer's names have many combining marks, which take minutes to hash – the first of them are read")
    func combiningMarks() {
        let name = "a" + String(repeating: "\u{327}\u{301}", count: 10_000)
        let answer = """
            <multistatus xmlns="DAV:"><response><href>/</href><propstat><prop>\
            \(String(repeating: "<\(name)/>", count: 100))</prop></propstat></response></multistatus>
            """
        #expect(throws: Never.self) { try Multistatus(Data(answer.utf8)) }
    }

    @Test(
        "Half an answer is none",
        arguments: [
            "", "no XML", "<html><p>Welcome", #"<multistatus xmlns="DAV:"><response>"#,
            #"<multistatus xmlns="DAV:"><response></multistatus>"#, #"<multistatus xmlns="DAV:"/><more/>"#,
            #"<multistatus/>"#, "<!-- without end", "<multistatus xmlns=\"DAV:\">\u{B}</multistatus>",
        ])
    func half(answer: String) throws {
        #expect(throws: KithError.self) { try Multistatus(Data(answer.utf8)) }
    }

    @Test("A declaration in the text of a card is text") func doctypeInText() throws {
        let text = #"<!-- <a> --><multistatus xmlns="DAV:"><![CDATA[<!DOCTYPE html>]]></multistatus>"#
        #expect(throws: Never.self) { try Multistatus(Data(text.utf8)) }
    }
}

/// Answers cards that are asked for without Digest with a challenge, all at once when so many have been.
private final class ChallengingTransport: DAVTransport {
    private struct State {
        var asked = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let server: FakeDAVServer
    private let size: Int
    private let state = Mutex(State())

    init(_ server: FakeDAVServer, size: Int) { (self.server, self.size) = (server, size) }

    func send(_ request: DAVRequest) async throws -> DAVResponse {
        guard request.method == "GET", request.digest == nil else { return try await server.send(request) }
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.asked += 1
                state.waiting.append(continuation)
                if state.asked < size { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in ready { continuation.resume() }
        }
        return DAVResponse(status: 401, headers: ["www-authenticate": "Digest realm=\"books\", nonce=\"abc\""])
    }
}
