package import Foundation
package import HTTPTypes

/// The answer to one request, before it is compressed and sent.
package struct Answer: Sendable {
    /// The body of an answer.
    package enum Body: Sendable {
        case bytes(Data)
        /// Events, until the session or the server ends.
        case events(LiveStream)
        /// Events about a public link's list, until the link or the server ends.
        case listEvents(ListEvents)
        /// The head of a stream of events, without any event.
        case noEvents
    }

    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: Body

    /// The number of bytes of the body; 0 for a stream.
    var size: Int { if case .bytes(let data) = body { data.count } else { 0 } }

    package init(_ status: HTTPResponse.Status, headers: HTTPFields = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = .bytes(body)
    }

    /// An answer in JSON.
    package init(_ status: HTTPResponse.Status = .ok, json value: some Encodable) throws {
        self.init(status, json: try JSONBody.encode(value))
    }

    /// An answer whose JSON was written before.
    init(_ status: HTTPResponse.Status = .ok, json: Data) {
        self.init(status, headers: Self.headersOfJSON, body: json)
    }

    /// The headers of an answer in JSON, with those that every answer has. They are the same for all, so they are made once.
    private static let headersOfJSON: HTTPFields = [
        .contentType: "application/json", .xContentTypeOptions: "nosniff", .cacheControl: "no-store",
    ]

    /// A web page. It loads the stylesheet and the pictures of this server, and cannot be put into a frame. Browsers send
    /// no `Referer` from it, because the address of the page is a secret. A page of another website that has opened it, or that it
    /// has opened, gets no hold of its window.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - html: The page in UTF-8.
    ///   - language: Its language.
    ///   - hasScripts: Whether it runs scripts: only files of this server, which connect only to this server.
    package init(_ status: HTTPResponse.Status, html: Data, language: String, hasScripts: Bool = false) {
        let scripts = hasScripts ? "script-src 'self'; connect-src 'self'; " : ""
        let policy = """
            default-src 'none'; style-src 'self'; form-action 'self'; img-src 'self'; \(scripts)base-uri 'none'; \
            frame-ancestors 'none'
            """
        self.init(
            status,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLanguage: language,
                .contentSecurityPolicy: policy,
                .referrerPolicy: "no-referrer", .crossOriginOpenerPolicy: "same-origin",
            ], body: html)
    }

    /// An answer in bytes, which is not compressed.
    package init(bytes: Data) {
        self.init(.ok, headers: [.contentType: "application/octet-stream"], body: bytes)
    }

    /// A stream of server-sent events. The headers ask proxies not to buffer, compress or store it.
    package init(events stream: LiveStream) { self.init(stream: .events(stream)) }

    /// The same for the page of a public link.
    package init(events: ListEvents) { self.init(stream: .listEvents(events)) }

    /// The head of a stream of events.
    static var headOfEvents: Answer { Answer(stream: .noEvents) }

    private init(stream: Body) {
        self.status = .ok
        self.headers = [
            .contentType: "text/event-stream", .cacheControl: "no-store, no-transform", .xAccelBuffering: "no",
        ]
        self.body = stream
    }

    /// The answer, which also sets a cookie or removes one.
    func setting(_ cookie: String) -> Answer {
        var answer = self
        answer.headers.append(HTTPField(name: .setCookie, value: cookie))
        return answer
    }

    // MARK: Before the answer is sent

    /// Completes the answer before it is sent: adds the headers that every answer has, and compresses the body.
    mutating func finish(for incoming: Incoming) {
        if headers[.xContentTypeOptions] == nil { headers[.xContentTypeOptions] = "nosniff" }
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        compress(for: incoming)
    }

    /// Compresses the body if the client accepts that and the compression pays off. A second call changes nothing.
    mutating func compress(for incoming: Incoming) {
        guard headers[.vary] == nil else { return }
        guard case .bytes(let data) = body, data.count >= Gzip.threshold,
            headers[.contentType] != "application/octet-stream"
        else { return }
        // A picture is already compressed, and its ETag belongs to its own bytes.
        if headers[.eTag] != nil { return }
        headers[.vary] = "Accept-Encoding"
        guard incoming.acceptsGzip, let compressed = try? Gzip.compress(data) else { return }
        headers[.contentEncoding] = "gzip"
        body = .bytes(compressed)
    }
}

extension HTTPField.Name {
    // The name is constant and valid.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    // The name is constant and valid.
    static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    // The name is constant and valid.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    // The name is constant and valid.
    static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
