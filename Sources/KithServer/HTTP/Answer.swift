package import Foundation
package import HTTPTypes

/// What the server says to one request, before it is compressed and sent.
package struct Answer: Sendable {
    /// What follows the head.
    package enum Body: Sendable {
        case bytes(Data)
        /// Events until the session or the server ends.
        case events(LiveStream)
    }

    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: Body

    /// How many bytes the body has; 0 for a stream.
    var size: Int { if case .bytes(let data) = body { data.count } else { 0 } }

    package init(_ status: HTTPResponse.Status, headers: HTTPFields = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = .bytes(body)
    }

    /// An answer in JSON.
    package init(_ status: HTTPResponse.Status = .ok, json value: some Encodable) throws {
        self.init(status, headers: [.contentType: "application/json"], body: try JSONBody.encode(value))
    }

    /// An answer in bytes that nothing compresses.
    package init(bytes: Data) {
        self.init(.ok, headers: [.contentType: "application/octet-stream"], body: bytes)
    }

    /// A stream of server-sent events.
    ///
    /// The headers ask those between not to gather, compress or keep what passes.
    package init(events stream: LiveStream) {
        self.status = .ok
        self.headers = [
            .contentType: "text/event-stream", .cacheControl: "no-store, no-transform", .xAccelBuffering: "no",
        ]
        self.body = .events(stream)
    }
}

extension HTTPField.Name {
    // The names are constant and well formed.
    static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
}
