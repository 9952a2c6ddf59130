/// An error over HTTP: `application/problem+json` (RFC 9457).
public struct Problem: Hashable, Sendable, Codable, Error {
    /// `about:blank`: what matters is in `code` (RFC 9457, section 4.2.1).
    public var type: String
    /// The kind of problem in a few words.
    public var title: String
    /// The HTTP status code.
    public var status: Int
    /// What happened and what to do next, for people.
    public var detail: String
    /// For programs.
    public var code: Code
    /// Names this one occurrence, in the server's log too.
    public var id: String
    /// Where in the request it is: a JSON path such as `$.mutations[3].set.title`.
    public var path: String?
    /// Seconds after which to try again; the same as the `Retry-After` header.
    public var retryAfter: Int?
    /// The server that answers: with each 401, and where `GET /ready` fails.
    public var server: ServerID?

    /// A problem with these properties, of the type `about:blank`.
    public init(
        status: Int, title: String, code: Code, detail: String, id: String, path: String? = nil, retryAfter: Int? = nil
    ) {
        self.type = "about:blank"
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
        self.id = id
        self.path = path
        self.retryAfter = retryAfter
    }

    /// What went wrong. Open: a newer server may know more.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The code as it travels.
        public let rawValue: String

        /// The code of this name, whether this version knows it or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// 400: the request cannot be read.
        public static let malformed = Code(rawValue: "malformed")
        /// 401: there is no token.
        public static let tokenMissing = Code(rawValue: "tokenMissing")
        /// 401: the token is unknown, or was revoked.
        public static let tokenInvalid = Code(rawValue: "tokenInvalid")
        /// 401: the account of the token was deleted.
        public static let accountClosed = Code(rawValue: "accountClosed")
        /// 403: the request speaks for another account than its token.
        public static let accountMismatch = Code(rawValue: "accountMismatch")
        /// 403: the list's owner has removed the account, and has not let it in again.
        public static let forbidden = Code(rawValue: "forbidden")
        /// 404: there is no such thing, or one may not know of it.
        public static let notFound = Code(rawValue: "notFound")
        /// 405: the resource has no such operation.
        public static let methodNotAllowed = Code(rawValue: "methodNotAllowed")
        /// 408: the body took longer to arrive than ``Limits/bodyTime``.
        public static let tooSlow = Code(rawValue: "tooSlow")
        /// 409: the list's owner tried what only others can do.
        public static let conflict = Code(rawValue: "conflict")
        /// 410: the link has expired or was revoked.
        public static let linkExpired = Code(rawValue: "linkExpired")
        /// 413: the body is larger than ``Limits/body``.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// 415: the body is of a kind that is not taken here.
        public static let unsupportedType = Code(rawValue: "unsupportedType")
        /// 422: too many of something in one request, or the list is full.
        public static let tooMany = Code(rawValue: "tooMany")
        /// 429: too fast.
        public static let tooFast = Code(rawValue: "tooFast")
        /// 410: the key of the oblivious function is served no more; the device begins with the current one.
        public static let keyExpired = Code(rawValue: "keyExpired")
        /// 429: today's share of something is used up; `Retry-After` says when the next day begins.
        public static let quotaExceeded = Code(rawValue: "quotaExceeded")
        /// 503: the server is busy, shutting down, or its database is away.
        public static let busy = Code(rawValue: "busy")
        /// 500: a mistake in the server.
        public static let internalError = Code(rawValue: "internal")
    }
}
