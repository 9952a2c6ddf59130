package import Foundation
import KithModel

/// What a refused or failed request means, and what the client does.
///
/// | answer | code | what a round does |
/// | --- | --- | --- |
/// | none | `offline` | tries again later, and first asks which server answers |
/// | 400 `malformed`, about the numbers | `refused` | sends the edits again later, under new numbers |
/// | 400 `malformed`, about what every request has, such as its token | `refused` | tries again later |
/// | 400 `malformed`, about anything else | `refused` | sends fewer edits; those that cannot be divided become rejections |
/// | 401 of a Kith server | `unauthorized`, `accountClosed` | ends the session, if the server is the account's own |
/// | 403 | `forbidden` | tries again later |
/// | 404, 410 | `notFound` | tries again later |
/// | 408 | `tooMany` | sends fewer edits; those that cannot be divided wait |
/// | 413, 422 of a Kith server | `tooMany` | sends fewer edits; those that cannot be divided become rejections |
/// | 413, 422 of anything else | `tooMany` | the same, but it asks first whether the server has those edits |
/// | 422 about the device | `tooMany` | tries again later |
/// | 429, 5xx of a Kith server | `busy` | tries again later |
/// | any other of a Kith server | `refused` | tries again later |
/// | 429, 5xx of anything else | `busy` | tries again later, and first asks which server answers |
/// | a redirect to another address | `malformed` | tries again later |
/// | any other of anything else, but for 408, 413 and 422 | `offline` | tries again later, and first asks which server answers |
extension KithError {
    /// Converts a refusal of the server at `address` to a ``KithError``.
    package init(status: Int, retryAfter: Int?, body: Data, from address: String? = nil) {
        let problem = try? JSONDecoder().decode(Problem.self, from: body)
        guard problem != nil || Self.isOfProxy(status) else {
            self = .noKithServer(at: address, cause: UnexplainedStatus(status: status))
            return
        }
        let code: Code =
            switch status {
            // Only a Kith server's answer ends a session, because a captive portal also returns 401.
            case 401 where problem?.code == .tokenMissing || problem?.code == .tokenInvalid: .unauthorized
            case 401 where problem?.code == .accountClosed: .accountClosed
            case 429 where problem?.code == .quotaExceeded: .quotaExceeded
            case 403: .forbidden
            case 410 where problem?.code == .codeExpired: .codeExpired
            case 409 where problem?.code == .lastWayIn: .lastWayIn
            case 409 where problem?.code == .listsUndecided: .listsUndecided
            case 422 where problem?.code == .codeWrong: .codeWrong
            case 422 where problem?.code == .passkeyRefused: .passkeyRefused
            case 404, 410: .notFound
            case 408, 413, 422: .tooMany
            case 429, 500...599: .busy
            default: .refused
            }
        let isAway = (502...504).contains(status)
        let sentence =
            isAway
            ? "The server is away for now (status \(status)). Try again later."
            : "The server answered with status \(status)."
        let asked = (retryAfter ?? problem?.retryAfter).map { Duration.retryAfter($0) }
        self.init(
            code, problem?.detail ?? sentence, field: problem?.path,
            retryAfter: problem == nil ? asked.map { min($0, .longestOfProxy) } : asked,
            cause: problem ?? UnexplainedStatus(status: status))
    }

    /// Whether the proxy in front of a Kith server answers with this status: it has limits too, and says that the server
    /// does not answer. Any other status without a problem document comes from something else, such as a captive portal.
    private static func isOfProxy(_ status: Int) -> Bool {
        [408, 413, 422, 429].contains(status) || (500..<600).contains(status)
    }

    /// The error if something else than a Kith server answers at its address.
    static func noKithServer(at address: String?, cause: UnexplainedStatus? = nil) -> KithError {
        let status = cause.map { " (status \($0.status))" } ?? ""
        return KithError(
            .offline,
            """
            What answers at \(address ?? "the server's address") is no Kith server\(status). Check the address, and whether \
            this network has a page to sign in.
            """, cause: cause)
    }

    /// Why edits that cannot be divided become rejections if a proxy refuses them.
    static let refusedByProxy = KithError(
        .tooMany, "Something between this device and the server refuses this edit. It is probably too large for it.")

    /// The error if a proxy refuses edits that the server may have.
    static let waitsForAnotherNetwork = KithError(
        .tooMany,
        """
        Something between this device and the server refuses an edit that the server may already have. The edit waits for \
        another network.
        """)

    // MARK: Who has answered

    /// Whether a Kith server has answered. A proxy or a captive portal sends no problem document.
    var isAnswerOfServer: Bool { cause is Problem }

    /// Whether a Kith server has answered that it does not carry out the request.
    var isRefusedByServer: Bool { code != .busy && isAnswerOfServer }

    /// Whether no Kith server has answered, because it could not be reached or a proxy answered instead.
    var hasNoServerAnswered: Bool { code == .offline || (code == .busy && !isAnswerOfServer) }

    /// The codes of failures that another network may end: nothing has answered, or something else than the server.
    static let ofNetwork = Set([Code.offline, .malformed, .otherServer, .tooMany].map(\.rawValue))

    /// Whether a later attempt may succeed without the user: nothing has answered, the server is busy, or the answer cannot be
    /// read, because it is a proxy's or a captive portal's.
    package var isTemporary: Bool { code == .offline || code == .busy || code == .malformed }

    // MARK: What it means for the session

    /// Whether a Kith server has answered that the session or the account has ended.
    var endsSession: Bool { (code == .unauthorized || code == .accountClosed) && isAnswerOfServer }

    /// Whether a command may succeed once the session is ready again.
    var mayPassWithSession: Bool { isTemporary || code == .unauthorized }

    // MARK: What the server has refused

    /// Whether the server does not know the link, so that it may be another server's.
    var isUnknownLink: Bool { code == .notFound && (cause as? Problem)?.code != .linkExpired }

    /// Whether the server refused a request because of its numbers, so that no edit is the cause.
    var isAboutNumbers: Bool {
        guard let problem = cause as? Problem, problem.code == .malformed, let path = problem.path else { return false }
        return path.hasPrefix("$.acknowledged") || path == "$.sent"
            || (path.hasPrefix("$.mutations[") && path.hasSuffix("].number"))
    }

    /// Whether the server refused a request because of its content, so that another attempt would fail in the same way.
    var isAboutContent: Bool {
        (code == .tooMany && !isAboutTime && !isAboutDevice)
            || (code == .refused && (cause as? Problem)?.code == .malformed && !isAboutEnvelope)
    }

    /// Whether the server refused a part that every request has, such as the token, so that no edit is the cause. A body that it
    /// cannot read at all has the path `$` or none.
    private var isAboutEnvelope: Bool {
        guard let path = (cause as? Problem)?.path else { return false }
        return path != "$" && !path.hasPrefix("$.mutations")
    }

    /// Whether the request took too long: its body did, or the connection was idle. A proxy says the same.
    var isAboutTime: Bool {
        ((cause as? Problem)?.status ?? (cause as? UnexplainedStatus)?.status) == 408
    }

    /// Whether a Kith server has answered that the body of the request came too slowly.
    var isAboutSpeed: Bool { (cause as? Problem)?.code == .tooSlow }

    /// Whether the account has too many devices, so that no edit is the cause.
    var isAboutDevice: Bool { (cause as? Problem)?.path == "$.device" }
}
