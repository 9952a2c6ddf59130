public import Foundation

/// One HTTP request, as the client makes it.
public struct TransportRequest: Sendable {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    public var method: String
    /// Below the server's address: `/v1/sync`.
    public var path: String
    /// The session's token, for the `Authorization` header; nil where none is needed.
    public var token: String?
    /// What is sent, if there is anything.
    public var body: Data?
    /// What kind of thing the body is, for the `Content-Type` header: JSON, save for pictures.
    public var contentType: String

    /// What nearly every body is.
    public static let json = "application/json"

    /// A request with these properties.
    public init(
        method: String, path: String, token: String? = nil, body: Data? = nil, contentType: String = Self.json
    ) {
        self.method = method
        self.path = path
        self.token = token
        self.body = body
        self.contentType = contentType
    }
}

/// What came back.
public struct TransportResponse: Sendable {
    /// The HTTP status code.
    public var status: Int
    /// Seconds of the `Retry-After` header.
    public var retryAfter: Int?
    /// The whole body, decompressed.
    public var body: Data

    /// A response with these properties.
    public init(status: Int, retryAfter: Int? = nil, body: Data) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}

/// The way to the server: real HTTP, or something else in tests.
public protocol Transport: Sendable {
    /// Sends one request and returns the whole answer, whatever its status.
    ///
    /// - Throws: ``KithError`` with `offline` if no answer came.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Opens an event stream and yields its events. The stream ends
    /// when the connection does, with an error if it was not accepted.
    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error>
}

#if canImport(Darwin)
    /// Real HTTP, as this system has it.
    public typealias SystemTransport = URLSessionTransport
#else
    /// Real HTTP, as this system has it.
    public typealias SystemTransport = CurlTransport
#endif

extension TransportRequest {
    /// Where it goes, at a server that may be below a path.
    func url(at server: URL) -> URL {
        let address = server.absoluteString
        return URL(string: (address.hasSuffix("/") ? String(address.dropLast()) : address) + path) ?? server
    }

    /// What is said beside the body.
    var headers: [String: String] {
        var headers: [String: String] = [:]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if body != nil { headers["Content-Type"] = contentType }
        return headers
    }
}

extension KithError {
    /// No whole answer came.
    init(unreachable server: URL, cause: any Error) {
        self.init(
            .offline, "The server at \(server.absoluteString) cannot be reached. Try again later.", cause: cause)
    }

    /// The live stream was not accepted.
    init(refusedStream status: Int, _ retryAfter: Int?) {
        self.init(
            status == 429 || status >= 500 ? .busy : .refused, "The live stream was refused with status \(status).",
            retryAfter: retryAfter.map { .seconds($0) })
    }
}

/// One server-sent event (WHATWG HTML, section 9.2).
public struct ServerEvent: Hashable, Sendable {
    /// What kind of event it is; `message` if the server does not say.
    public var name: String
    /// What it says, its lines joined by newlines.
    public var data: String

    /// An event with these properties.
    public init(name: String, data: String) {
        self.name = name
        self.data = data
    }
}

/// Cuts a byte stream into server-sent events.
struct ServerEventParser {
    private var line: [UInt8] = []
    private var name = ""
    private var data: [String] = []
    private var lastWasReturn = false

    mutating func feed(_ bytes: some Sequence<UInt8>) -> [ServerEvent] {
        var events: [ServerEvent] = []
        for byte in bytes {
            defer { lastWasReturn = byte == UInt8(ascii: "\r") }
            if byte == UInt8(ascii: "\n") && lastWasReturn { continue }
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                if line.count < Self.longestLine { line.append(byte) }
                continue
            }
            if let event = end(String(decoding: line, as: UTF8.self)) { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    /// Bytes of a line beyond this are dropped: no event of ours is longer.
    private static let longestLine = 1 << 20

    private mutating func end(_ line: String) -> ServerEvent? {
        if line.isEmpty {
            defer { (name, data) = ("", []) }
            return data.isEmpty
                ? nil : ServerEvent(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
        }
        if line.hasPrefix(":") { return nil }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1].drop(while: { $0 == " " }) : ""
        switch parts[0] {
        case "event": name = String(value)
        case "data": data.append(String(value))
        default: break
        }
        return nil
    }
}
