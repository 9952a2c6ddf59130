/// An error over HTTP: `application/problem+json` (RFC 9457).
public struct Problem: Hashable, Sendable, Codable, Error {
    /// The type, always `about:blank`, because the reason is in `code` (RFC 9457, section 4.2.1).
    public var type: String
    /// The kind of problem in a few words.
    public var title: String
    /// The HTTP status code.
    public var status: Int
    /// What has happened and what to do next, for people.
    public var detail: String
    /// The reason, for programs.
    public var code: Code
    /// Identifies this occurrence. The server's log has the same id.
    public var id: String
    /// The position in the request: a JSON path such as `$.mutations[3].set.title`.
    public var path: String?
    /// The seconds to wait before the next attempt; the same as the `Retry-After` header.
    public var retryAfter: Int?
    /// The server that answers. Present with each 401, and if `GET /ready` fails.
    public var server: ServerID?

    /// Creates a problem with these properties, of the type `about:blank`.
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

    /// The reason for a problem. A newer server may have further codes.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The code in its encoded form.
        public let rawValue: String

        /// Creates a code from its name. This version need not know it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// 400: the request cannot be read.
        public static let malformed = Code(rawValue: "malformed")
        /// 401: there is no token.
        public static let tokenMissing = Code(rawValue: "tokenMissing")
        /// 401: the token is unknown or was revoked.
        public static let tokenInvalid = Code(rawValue: "tokenInvalid")
        /// 401: the account of the token was deleted.
        public static let accountClosed = Code(rawValue: "accountClosed")
        /// 403: the account in the request is not the account of its token.
        public static let accountMismatch = Code(rawValue: "accountMismatch")
        /// 403: the list's owner has removed the account, and has not allowed it to join again.
        public static let forbidden = Code(rawValue: "forbidden")
        /// 404: the resource does not exist, or the account may not know that it exists.
        public static let notFound = Code(rawValue: "notFound")
        /// 405: the resource has no such operation.
        public static let methodNotAllowed = Code(rawValue: "methodNotAllowed")
        /// 408: the body took longer to arrive than ``Limits/bodyTime``.
        public static let tooSlow = Code(rawValue: "tooSlow")
        /// 409: the list's owner tried something that only others can do.
        public static let conflict = Code(rawValue: "conflict")
        /// 410: the link has expired or was revoked.
        public static let linkExpired = Code(rawValue: "linkExpired")
        /// 413: the body is larger than ``Limits/body``.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// 415: this type of body is not accepted here.
        public static let unsupportedType = Code(rawValue: "unsupportedType")
        /// 422: too many elements of a kind in one request, or the list is full.
        public static let tooMany = Code(rawValue: "tooMany")
        /// 429: too many requests in a short time.
        public static let tooFast = Code(rawValue: "tooFast")
        /// 410: the key of the oblivious function is not served any more; the device starts again with the current one.
        public static let keyExpired = Code(rawValue: "keyExpired")
        /// 429: the daily quota is used up; `Retry-After` gives the seconds until the next day.
        public static let quotaExceeded = Code(rawValue: "quotaExceeded")
        /// 422: the code that proves a number or an email is wrong.
        public static let codeWrong = Code(rawValue: "codeWrong")
        /// 410: the code that proves a number or an email has expired, or was tried too often; or the pairing has expired,
        /// or was used or ended.
        public static let codeExpired = Code(rawValue: "codeExpired")
        /// 409: the number, email, issuer or passkey is the last way to sign in to the account.
        public static let lastWayIn = Code(rawValue: "lastWayIn")
        /// 409: other people are in lists of the account that is to be deleted, and these lists have no decision.
        public static let listsUndecided = Code(rawValue: "listsUndecided")
        /// 422: the passkey or its signature was refused; the sentence says why.
        public static let passkeyRefused = Code(rawValue: "passkeyRefused")
        /// 503: the server is busy, is shutting down, or cannot reach its database.
        public static let busy = Code(rawValue: "busy")
        /// 500: an error in the server.
        public static let internalError = Code(rawValue: "internal")
    }
}
