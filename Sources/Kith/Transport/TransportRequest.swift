public import Foundation

/// One HTTP request of the client.
public struct TransportRequest: Sendable {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    public var method: String
    /// The path below the server's address, such as `/v1/sync`.
    public var path: String
    /// The session's token, for the `Authorization` header; nil if the request needs none.
    public var token: String?
    /// The body, if there is one.
    public var body: Data?
    /// The body's type, for the `Content-Type` header: JSON, except for pictures.
    public var contentType: String
    /// Tags of the languages that the user reads (BCP 47), best first, for the `Accept-Language` header; empty for none.
    public var languages: [String]
    /// The key of a request that makes something, for the `Idempotency-Key` header. A repeated request has the same key, so
    /// that the server makes it once; nil if the request can be repeated without a key.
    public var key: String?
    /// Whether the answer may lack the members that have their default. If so, the request has the header
    /// `Prefer: return=minimal`, which servers of older versions ignore.
    public var prefersMinimal: Bool

    /// The type of nearly all bodies.
    public static let json = "application/json"

    /// Creates a request with these properties.
    public init(
        method: String, path: String, token: String? = nil, body: Data? = nil, contentType: String = Self.json,
        languages: [String] = [], key: String? = nil, prefersMinimal: Bool = false
    ) {
        self.method = method
        self.path = path
        self.token = token
        self.body = body
        self.contentType = contentType
        self.languages = languages
        self.key = key
        self.prefersMinimal = prefersMinimal
    }
}
