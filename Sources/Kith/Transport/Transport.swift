public import Foundation

/// One HTTP request of the client.
public struct TransportRequest: Sendable {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    public var method: String
    /// The path below the server's address: `/v1/sync`.
    public var path: String
    /// The session's token, for the `Authorization` header; nil if the request needs none.
    public var token: String?
    /// The body, if there is one.
    public var body: Data?
    /// The body's type, for the `Content-Type` header: JSON, except for pictures.
    public var contentType: String

    /// The type of nearly all bodies.
    public static let json = "application/json"

    /// Creates a request with these properties.
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

/// The answer to a ``TransportRequest``.
public struct TransportResponse: Sendable {
    /// The HTTP status code.
    public var status: Int
    /// The seconds in the `Retry-After` header.
    public var retryAfter: Int?
    /// The complete body, decompressed.
    public var body: Data

    /// Creates a response with these properties.
    public init(status: Int, retryAfter: Int? = nil, body: Data) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}

/// The connection to the server: real HTTP, or a substitute in tests.
public protocol Transport: Sendable {
    /// Sends one request and returns the complete answer, whatever its status.
    ///
    /// - Throws: ``KithError`` with `offline` if no answer arrived.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Opens an event stream and yields its events. The stream ends with its connection, and throws if the server did
    /// not accept it.
    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error>
}

#if canImport(Darwin)
    /// The HTTP transport of this system.
    public typealias SystemTransport = URLSessionTransport
#else
    /// The HTTP transport of this system.
    public typealias SystemTransport = CurlTransport
#endif

extension TransportRequest {
    /// The complete URL. The server's address may have a path.
    func url(at server: URL) -> URL {
        let address = server.absoluteString
        return URL(string: (address.hasSuffix("/") ? String(address.dropLast()) : address) + path) ?? server
    }

    /// The request's headers.
    var headers: [String: String] {
        var headers: [String: String] = [:]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if body != nil { headers["Content-Type"] = contentType }
        return headers
    }
}

extension KithError {
    /// No complete answer arrived.
    init(unreachable server: URL, cause: any Error) {
        self.init(
            .offline, "The server at \(server.absoluteString) cannot be reached. Try again later.", cause: cause)
    }

    /// The server did not accept the live stream.
    init(refusedStream status: Int, _ retryAfter: Int?) {
        self.init(
            status == 429 || status >= 500 ? .busy : .refused, "The live stream was refused with status \(status).",
            retryAfter: retryAfter.map { .seconds($0) })
    }
}

/// One server-sent event (WHATWG HTML, section 9.2).
public struct ServerEvent: Hashable, Sendable {
    /// The event's type; `message` if the server gives none.
    public var name: String
    /// The event's data, with its lines joined by newlines.
    public var data: String

    /// Creates an event with these properties.
    public init(name: String, data: String) {
        self.name = name
        self.data = data
    }
}

/// Splits a byte stream into server-sent events.
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

    /// The maximum number of bytes of a line; the rest is dropped. No event of the Kith server is longer.
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
