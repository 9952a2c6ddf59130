public import Foundation

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
