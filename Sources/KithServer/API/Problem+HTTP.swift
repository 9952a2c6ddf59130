import Foundation
package import HTTPTypes
package import KithModel

extension Problem.Code {
    /// The HTTP status of the code: the table “Errors” of `Documentation/Protocol.md`.
    package var status: HTTPResponse.Status {
        switch self {
        case .malformed: .badRequest
        case .tokenMissing, .tokenInvalid, .accountClosed: .unauthorized
        case .accountMismatch, .forbidden: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .tooSlow: .requestTimeout
        case .conflict, .lastWayIn, .listsUndecided: .conflict
        case .linkExpired, .keyExpired, .codeExpired: .gone
        case .tooLarge: .contentTooLarge
        case .unsupportedType: .unsupportedMediaType
        case .tooMany, .codeWrong, .passkeyRefused: .unprocessableContent
        case .tooFast, .quotaExceeded: .tooManyRequests
        case .busy: .serviceUnavailable
        default: .internalServerError
        }
    }
}

extension Problem {
    /// The problem that describes an error. The log has the internal details under the same id.
    ///
    /// Any error other than a ``ServerError`` is a mistake of the server.
    package init(_ error: any Error, id: String) {
        let known = error as? ServerError ?? .unexpected(error)
        let status = known.code.status
        self.init(
            status: status.code, title: status.reasonPhrase, code: known.code, detail: known.sentence, id: id,
            path: known.path, retryAfter: known.retryAfter?.wholeSeconds ?? (known.code.isPassing ? 1 : nil))
    }
}

extension Problem.Code {
    /// Whether the same request may succeed later. Each such answer says when to try again.
    fileprivate var isPassing: Bool { self == .tooFast || self == .busy }
}

extension ServerError {
    static func unexpected(_ error: any Error) -> ServerError {
        ServerError(
            .internalError, "The server made a mistake. Try again later; its log has the details under this id.",
            cause: error)
    }

    static let nothingHere = ServerError(.notFound, "There is nothing at this address. Is the server's address right?")

    static func wrongMethod(_ method: HTTPRequest.Method, allowed: [HTTPRequest.Method]) -> ServerError {
        let allowed = allowed.map(\.rawValue).joined(separator: ", ")
        return ServerError(
            .methodNotAllowed, "\(method.rawValue.prefix(20)) is not allowed here. Allowed: \(allowed).")
    }
}

extension Answer {
    /// A problem as an answer, with the headers of its status.
    ///
    /// - Parameters:
    ///   - problem: The problem.
    ///   - allowed: The methods that the path permits, if the request had another method.
    package init(_ problem: Problem, allowed: [HTTPRequest.Method] = []) {
        // A problem consists of strings and whole numbers, which can always be encoded.
        let body = (try? JSONBody.encode(problem)) ?? .init()
        self.init(
            HTTPResponse.Status(code: problem.status), headers: [.contentType: "application/problem+json"], body: body)
        if let retryAfter = problem.retryAfter { headers[.retryAfter] = String(retryAfter) }
        // The server does not wait for the rest of the body.
        if problem.code == .tooSlow { headers[.connection] = "close" }
        if !allowed.isEmpty { headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ") }
        switch problem.code {
        case .tokenMissing: headers[.wwwAuthenticate] = #"Bearer realm="Kith""#
        case .tokenInvalid, .accountClosed: headers[.wwwAuthenticate] = #"Bearer realm="Kith", error="invalid_token""#
        default: break
        }
    }
}
