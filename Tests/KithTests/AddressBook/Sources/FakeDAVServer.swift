import Foundation
import Kith
import KithAddressBook
import Synchronization

/// A CardDAV server without a network, which a test can make behave like the ones that are met.
final class FakeDAVServer: DAVTransport {
    struct State {
        /// The cards of each book, by the book's path and the card's own.
        var books: [String: [String: Entry]] = [:]
        /// The last change of each card that ever was, for those who sync.
        var log: [String: Int] = [:]
        var revision = 1
        /// Tokens older than this are forgotten.
        var oldest = 0

        var isAway = false
        var syncs = true
        /// How many changes one answer tells of.
        var part = Int.max
        /// Cards that it does not give, by their paths, and the status that it gives instead.
        var refuses: [String: Int] = [:]
        /// Cards that it leaves out of answers with several.
        var omits: Set<String> = []
        /// Whether it keeps of a value what is before its first bare comma, as Radicale does.
        var cutsAtCommas = false
        /// How a path is written in answers.
        var writesPath: @Sendable (String) -> String = { $0 }
        /// What is said in place of an answer.
        var script: @Sendable (DAVRequest) throws -> DAVResponse? = { _ in nil }
        var requests: [DAVRequest] = []
    }

    struct Entry {
        var bytes: [UInt8]
        var revision: Int
        var etag: String { "\"\(revision)\"" }
    }

    static let address = URL(string: "https://dav.example.com/")!
    static let home = "/ada/"
    static let book = "/ada/friends/"
    static let password = "secret"

    private let state: Mutex<State>

    init() { state = Mutex(State(books: [Self.book: [:]])) }

    /// Changes what it has, or how it behaves.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout State) -> sending Result) -> Result { state.withLock { body(&$0) } }

    /// Says this in place of its answers; nil lets a request through.
    func answers(_ script: @escaping @Sendable (DAVRequest) throws -> DAVResponse?) { change { $0.script = script } }

    /// The methods and paths of what it was asked, and forgets them.
    func asked() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests.map { "\($0.method) \($0.url.path(percentEncoded: true))" }
        }
    }

    func send(_ request: DAVRequest) async throws -> DAVResponse {
        try state.withLock { state in
            if state.isAway { throw KithError(.offline, "The server is away.") }
            state.requests.append(request)
            if let said = try state.script(request) { return said }
            let signedIn = "Basic " + Data("ada:\(Self.password)".utf8).base64EncodedString()
            let digest = DAVRequest.Digest(user: "ada", password: Self.password)
            guard request.headers["Authorization"] == signedIn || request.digest == digest else {
                return DAVResponse(status: 401, headers: ["www-authenticate": "Basic realm=\"books\""])
            }
            return state.answer(request)
        }
    }
}

extension FakeDAVServer.State {
    /// Puts a card, or takes it away.
    mutating func set(_ name: String, _ bytes: [UInt8]?, in book: String = FakeDAVServer.book) {
        revision += 1
        books[book, default: [:]][book + name] = bytes.map { FakeDAVServer.Entry(bytes: $0, revision: revision) }
        log[book + name] = revision
    }

    fileprivate mutating func answer(_ request: DAVRequest) -> DAVResponse {
        let path = request.url.path(percentEncoded: false)
        let body = request.text
        switch request.method {
        case "PROPFIND": return propfind(path, depth: request.headers["Depth"] ?? "")
        case "REPORT" where body.contains("<sync-collection"): return sync(path, body)
        case "REPORT": return multiget(path, body)
        case "GET": return get(path)
        case "PUT": return put(path, request)
        case "DELETE": return delete(path, request)
        default: return DAVResponse(status: 405)
        }
    }

    private func token(of book: String) -> String {
        "token-\(log.filter { $0.key.hasPrefix(book) }.map(\.value).max() ?? 0)"
    }

    private func propfind(_ path: String, depth: String) -> DAVResponse {
        let principal = "<current-user-principal><href>/principals/ada/</href></current-user-principal>"
        let collection = "<resourcetype><collection/></resourcetype>"
        switch path {
        case "/.well-known/carddav": return DAVResponse(status: 301, headers: ["location": "/"])
        case "/": return multistatus([("/", collection + principal)])
        case "/principals/ada/":
            let home = "<C:addressbook-home-set><href>\(FakeDAVServer.home)</href></C:addressbook-home-set>"
            return multistatus([(path, "<resourcetype><principal/></resourcetype>" + home)])
        case FakeDAVServer.home where depth == "1":
            return multistatus([(path, collection)] + books.keys.sorted().map { ($0, properties(ofBook: $0)) })
        case FakeDAVServer.home: return multistatus([(path, collection + principal)])
        default:
            if let entry = books.values.lazy.compactMap({ $0[path] }).first {
                return multistatus([(path, "<getetag>\(entry.etag)</getetag><resourcetype/>")])
            }
            guard let cards = books[path] else { return DAVResponse(status: 404) }
            let own = [(path, properties(ofBook: path))]
            let etags = cards.sorted { $0.key < $1.key }.map {
                ($0.key, "<getetag>\($0.value.etag)</getetag><resourcetype/>")
            }
            return multistatus(depth == "1" ? own + etags : own)
        }
    }

    private func properties(ofBook book: String) -> String {
        "<resourcetype><collection/><C:addressbook/></resourcetype><displayname>Friends</displayname>"
            + (syncs ? "<sync-token>\(token(of: book))</sync-token>" : "<S:getctag>\(token(of: book))</S:getctag>")
    }

    private func sync(_ book: String, _ body: String) -> DAVResponse {
        guard syncs else { return DAVResponse(status: 501) }
        let said = body.firstMatch(of: #/<sync-token>(.*)</sync-token>/#).map { String($0.1) } ?? ""
        let since = said.isEmpty ? 0 : Int(said.dropFirst("token-".count)) ?? -1
        guard said.isEmpty || since >= oldest else {
            return DAVResponse(status: 403, body: Data(#"<error xmlns="DAV:"><valid-sync-token/></error>"#.utf8))
        }
        let cards = books[book] ?? [:]
        let changed = log.filter { $0.key.hasPrefix(book) && $0.value > since && (since > 0 || cards[$0.key] != nil) }
            .sorted { $0.value < $1.value }
        var responses = changed.prefix(part).map { change in
            (change.key, cards[change.key].map { "<getetag>\($0.etag)</getetag>" } ?? "404")
        }
        var token = token(of: book)
        if changed.count > part {
            responses.append((book, "507"))
            token = "token-\(changed[part - 1].value)"
        }
        return multistatus(responses, and: "<sync-token>\(token)</sync-token>")
    }

    private func multiget(_ book: String, _ body: String) -> DAVResponse {
        let paths = body.matches(of: #/<href>([^<]*)</href>/#).map { String($0.1).removingPercentEncoding ?? "" }
        return multistatus(
            paths.filter { !omits.contains($0) }.map { path in
                if let status = refuses[path] { return (path, "\(status)") }
                guard let entry = books[book]?[path] else { return (path, "404") }
                let data = String(decoding: entry.bytes, as: UTF8.self).replacing("&", with: "&amp;")
                    .replacing("<", with: "&lt;")
                return (path, "<getetag>\(entry.etag)</getetag><C:address-data>\(data)</C:address-data>")
            })
    }

    private func get(_ path: String) -> DAVResponse {
        if let status = refuses[path] { return DAVResponse(status: status) }
        guard let entry = books.values.lazy.compactMap({ $0[path] }).first else { return DAVResponse(status: 404) }
        return DAVResponse(status: 200, headers: ["etag": entry.etag], body: Data(entry.bytes))
    }

    private mutating func put(_ path: String, _ request: DAVRequest) -> DAVResponse {
        guard let book = books.keys.first(where: { path.hasPrefix($0) }) else { return DAVResponse(status: 409) }
        guard books[book]?[path] == nil || request.headers["If-None-Match"] == nil else {
            return DAVResponse(status: 412)
        }
        guard matches(request, books[book]?[path]) else { return DAVResponse(status: 412) }
        let bytes = [UInt8](request.body ?? Data())
        set(String(path.dropFirst(book.count)), cutsAtCommas ? Self.cut(bytes) : bytes, in: book)
        return DAVResponse(status: 201)
    }

    /// A card without what follows the first bare comma of a value. Names, addresses and categories may have commas.
    private static func cut(_ bytes: [UInt8]) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n ", with: "")
        let lines = text.split(separator: "\r\n").map { line in
            if line.hasPrefix("N:") || line.hasPrefix("ADR") || line.hasPrefix("CATEGORIES") { return String(line) }
            return line.prefixMatch(of: #/(?:[^,\\]|\\.)*/#).map { String($0.0) } ?? ""
        }
        return Array(lines.map { $0 + "\r\n" }.joined().utf8)
    }

    private mutating func delete(_ path: String, _ request: DAVRequest) -> DAVResponse {
        guard let book = books.keys.first(where: { path.hasPrefix($0) }), let entry = books[book]?[path] else {
            return DAVResponse(status: 404)
        }
        guard matches(request, entry) else { return DAVResponse(status: 412) }
        set(String(path.dropFirst(book.count)), nil, in: book)
        return DAVResponse(status: 204)
    }

    /// What a request says of the card that it wants to find (RFC 9110, section 13.1.1).
    private func matches(_ request: DAVRequest, _ entry: FakeDAVServer.Entry?) -> Bool {
        guard let tag = request.headers["If-Match"] else { return true }
        return entry.map { tag == "*" || tag == $0.etag } ?? false
    }

    private func multistatus(_ responses: [(path: String, said: String)], and rest: String = "") -> DAVResponse {
        let all = responses.map { path, said in
            let encoded = (path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)
                .replacing("&", with: "&amp;")
            let content =
                Int(said).map { "<status>HTTP/1.1 \($0) So</status>" }
                ?? "<propstat><prop>\(said)</prop><status>HTTP/1.1 200 OK</status></propstat>"
            return "<response><href>\(writesPath(encoded))</href>\(content)</response>"
        }
        let namespaces =
            #"xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav" xmlns:S="http://calendarserver.org/ns/""#
        return DAVResponse(
            status: 207, body: Data("<multistatus \(namespaces)>\(all.joined())\(rest)</multistatus>".utf8))
    }
}

extension DAVRequest {
    /// The body as text.
    var text: String { String(decoding: body ?? Data(), as: UTF8.self) }
}
