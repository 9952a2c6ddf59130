package import HTTPTypes
import KithModel

/// One thing that the API can do.
package struct APIOperation: Sendable {
    /// The name in logs and metrics: `operationId` in `openapi.json`. It holds nothing of a request.
    package let name: String
    package let method: HTTPRequest.Method
    /// The path as `openapi.json` writes it: the parts in braces are read by ``PathParameters``.
    package let path: String
    /// Who may ask, who pays, and what is done.
    let access: Access

    init(_ name: String, _ method: HTTPRequest.Method, _ path: String, _ access: Access) {
        self.name = name
        self.method = method
        self.path = path
        self.access = access
    }

    /// The methods that lead here: whoever may ask for a body may ask for its headers alone (RFC 9110, section 9.1).
    var methods: [HTTPRequest.Method] { method == .get ? [.get, .head] : [method] }

    /// Does what is asked for.
    typealias Handler = @Sendable (Call) async throws -> Answer
    /// Does what is asked for, in the name of the session's account.
    typealias SessionHandler = @Sendable (Call, SessionDescription) async throws -> Answer

    /// Who may ask for an operation, and whose bucket of requests pays for it, with what is then done.
    enum Access: Sendable {
        /// The operator and its machines: neither a token nor a place among the requests is needed.
        case operating(Handler)
        /// Anyone; the address pays.
        case anyone(Handler)
        /// Anyone; the address pays from the smaller bucket of new sessions.
        case newcomer(Handler)
        /// Someone with a session, which pays.
        case session(SessionHandler)

        var isOperating: Bool { if case .operating = self { true } else { false } }
    }
}
