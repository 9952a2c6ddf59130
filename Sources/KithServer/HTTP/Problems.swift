import Foundation
package import HTTPTypes
package import KithModel

extension Problem.Code {
    /// The status that a code goes with: the table “Errors” of `Documentation/Protocol.md`.
    package var status: HTTPResponse.Status {
        switch self {
        case .malformed: .badRequest
        case .tokenMissing, .tokenInvalid, .accountClosed: .unauthorized
        case .accountMismatch, .forbidden: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .tooSlow: .requestTimeout
        case .conflict: .conflict
        case .linkExpired, .keyExpired: .gone
        case .tooLarge: .contentTooLarge
        case .unsupportedType: .unsupportedMediaType
        case .tooMany: .unprocessableContent
        case .tooFast, .quotaExceeded: .tooManyRequests
        case .busy: .serviceUnavailable
        default: .internalServerError
        }
    }
}

extension Problem {
    /// The problem that tells of an error. What the server keeps to itself is in the log, under the same id.
    ///
    /// Any error that is no ``ServerError`` is a mistake of the server.
    package init(_ error: any Error, id: String) {
        let known = error as? ServerError ?? .unexpected(error)
        let status = known.code.status
        self.init(
            status: status.code, title: status.reasonPhrase, code: known.code, detail: known.sentence, id: id,
            path: known.path, retryAfter: known.retryAfter?.wholeSeconds ?? (known.code.isPassing ? 1 : nil))
    }
}

extension Problem.Code {
    /// Whether the same request may succeed later, so that each answer says when to try again.
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
    /// A problem as an answer, with the headers that its status calls for.
    ///
    /// - Parameters:
    ///   - problem: What went wrong.
    ///   - allowed: What a path allows, where it was asked for with another method.
    package init(_ problem: Problem, allowed: [HTTPRequest.Method] = []) {
        // A problem is made of texts and whole numbers, which always encode.
        let body = (try? JSONBody.encode(problem)) ?? .init()
        self.init(
            HTTPResponse.Status(code: problem.status), headers: [.contentType: "application/problem+json"], body: body)
        if let retryAfter = problem.retryAfter { headers[.retryAfter] = String(retryAfter) }
        // What is left of the body is not waited for.
        if problem.code == .tooSlow { headers[.connection] = "close" }
        if !allowed.isEmpty { headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ") }
        switch problem.code {
        case .tokenMissing: headers[.wwwAuthenticate] = #"Bearer realm="Kith""#
        case .tokenInvalid, .accountClosed: headers[.wwwAuthenticate] = #"Bearer realm="Kith", error="invalid_token""#
        default: break
        }
    }
}
