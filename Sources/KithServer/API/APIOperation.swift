package import HTTPTypes
import KithModel

/// One operation of the API.
package struct APIOperation: Sendable {
    /// The name in logs and metrics: `operationId` in `openapi.json`. It contains nothing from the request.
    package let name: String
    package let method: HTTPRequest.Method
    /// The path as `openapi.json` writes it. ``PathParameters`` reads the parts in braces.
    package let path: String
    /// The permitted callers, the rate limit that applies, and the handler.
    let access: Access
    /// Whether people open the address in a browser. A client that prefers HTML then gets a page instead of a
    /// problem.
    let hasPages: Bool

    init(
        _ name: String, _ method: HTTPRequest.Method, _ path: String, _ access: Access, hasPages: Bool = false
    ) {
        self.name = name
        self.method = method
        self.path = path
        self.access = access
        self.hasPages = hasPages
    }

    /// The permitted methods. Every operation with GET also permits HEAD (RFC 9110, section 9.1).
    var methods: [HTTPRequest.Method] { method == .get ? [.get, .head] : [method] }

    /// Performs an operation.
    typealias Handler = @Sendable (Call) async throws -> Answer
    /// Performs an operation on behalf of the session's account.
    typealias SessionHandler = @Sendable (Call, CallerSession) async throws -> Answer
    /// Performs an operation on behalf of the browser's session; nil if it has none.
    typealias BrowserHandler = @Sendable (Call, BrowserSession?) async throws -> Answer
    /// Performs an operation on behalf of an operator.
    typealias OperatorHandler = @Sendable (Call, OperatorSession) async throws -> Answer

    /// The permitted callers of an operation and the rate limit that applies, with the handler.
    enum Access: Sendable {
        /// The operator's machines, which monitor the server. No token is necessary, and the limit of concurrent
        /// requests does not apply.
        case monitoring(Handler)
        /// Anyone. The request counts toward the rate limit of its address.
        case anyone(Handler)
        /// Anyone. The request counts toward the smaller rate limit of its address for new sessions.
        case newcomer(Handler)
        /// A caller with a session. The request counts toward the rate limit of the session.
        case session(SessionHandler)
        /// Anyone with a browser, which may have a session in a cookie. The request counts toward the rate limit of the
        /// session, or of its address.
        case browser(BrowserHandler)
        /// An operator who has signed in with a browser. Anybody else is sent to the page for that. The request counts
        /// toward the rate limit of its address.
        case `operator`(OperatorHandler)

        var isMonitoring: Bool { if case .monitoring = self { true } else { false } }
    }
}
