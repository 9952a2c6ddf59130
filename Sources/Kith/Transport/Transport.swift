import Foundation
import KithModel

/// The connection to the server: real HTTP, or a substitute in tests.
public protocol Transport: Sendable {
    /// Sends one request and returns the complete answer, whatever its status.
    ///
    /// - Throws: ``KithError`` with `offline` if no answer arrived.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Opens an event stream and yields its events, until the connection ends.
    ///
    /// The stream throws ``KithError``: `offline` if the server cannot be reached or the connection breaks; if the server
    /// answers with a status other than 200, `busy` for 429 and from 500 on, otherwise `refused`, with the pause that it asks
    /// for.
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
    /// The complete URL. The server's address may contain a path.
    func url(at server: URL) -> URL {
        let address = server.absoluteString
        return URL(string: (address.hasSuffix("/") ? String(address.dropLast()) : address) + path) ?? server
    }

    /// The request's headers.
    package var headers: [String: String] {
        var headers: [String: String] = [:]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if body != nil { headers["Content-Type"] = contentType }
        headers["Accept-Language"] = acceptLanguage
        // A structured string has quotes (RFC 8941, section 3.3.3).
        headers["Idempotency-Key"] = key.map { "\"\($0)\"" }
        if prefersMinimal { headers["Prefer"] = "return=minimal" }
        return headers
    }

    /// The value of the `Accept-Language` header, each language with less weight than the one before it (RFC 9110,
    /// section 12.5.4); nil if there is none. Texts that are no tags are left out.
    package var acceptLanguage: String? {
        let tags = languages.filter { tag in
            !tag.isEmpty && tag.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
        }.prefix(Limits.languages)
        if tags.isEmpty { return nil }
        return tags.enumerated().map { $0 == 0 ? $1 : "\($1);q=0.\(10 - $0)" }.joined(separator: ", ")
    }
}

extension KithError {
    /// The error if no complete answer has arrived.
    init(unreachable server: URL, cause: any Error) {
        self.init(
            .offline, "The server at \(server.absoluteString) cannot be reached. Try again later.", cause: cause)
        isUnreachable = true
    }

    /// The error if the server's name leads to no address.
    init(unknownHost server: URL, cause: any Error) {
        let host = server.host() ?? server.absoluteString
        self.init(.offline, "The host \(host) cannot be found. Check the address and the network.", cause: cause)
    }

    /// The error if the TLS handshake fails, for example because the server only speaks HTTP.
    init(withoutTLS server: URL, cause: any Error) {
        self.init(
            .offline,
            "The server at \(server.absoluteString) does not answer with TLS, so nothing was sent. Check the port, and "
                + "whether the address begins with https: or http:.",
            cause: cause)
    }

    /// The error for a redirect; nil if the answer is not one. A token is only sent to the configured address, so
    /// redirects are not followed.
    init?(redirect status: Int, to location: String?, of request: TransportRequest, from server: URL) {
        guard (300..<400).contains(status), let location else { return nil }
        let target = URL(string: location, relativeTo: request.url(at: server))?.absoluteString ?? location
        // A server that has moved redirects to the same path at its new address. Anything else is some page, and a page can
        // have the address of the request in its query.
        let address = String(target.dropLast(request.path.count))
        let hasMoved = target.hasSuffix(request.path) && !address.contains("?") && !address.contains("#")
        let place = hasMoved ? address : target
        let advice =
            hasMoved
            ? "Use that address instead." : "Check the address, and whether this network has a page to sign in."
        self.init(.malformed, "The server at \(server.absoluteString) redirects to \(place). \(advice)")
    }

    /// The error if the server has refused the live stream.
    package init(refusedStream status: Int, _ retryAfter: Int?) {
        self.init(
            status == 429 || status >= 500 ? .busy : .refused, "The live stream was refused with status \(status).",
            retryAfter: retryAfter.map { min(Duration.retryAfter($0), .longestOfProxy) })
    }
}

extension Duration {
    /// The time that a server asks to wait, in seconds; at most a day. A proxy may send any number.
    package static func retryAfter(_ seconds: Int) -> Duration { .seconds(min(max(0, seconds), 86_400)) }

    /// The longest pause that an answer without a problem document can ask for. It may come from the page to sign in of a
    /// network that the device leaves soon, and it says nothing about the server.
    static let longestOfProxy = Duration.minutes(1)
}
