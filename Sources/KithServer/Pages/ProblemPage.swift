package import HTTPTypes
package import KithModel

/// The page that a browser gets instead of a problem in JSON.
package enum ProblemPage {
    /// The problems after which somebody may want to sign in: what they look for may be in their account.
    private static let leadOn = ["usedLink", "expiredLink", "nothing"]

    /// The page.
    ///
    /// - Parameters:
    ///   - problem: The problem that programs get.
    ///   - path: The path of the request. If it is that of a link, the link may have been copied in part.
    /// - Returns: The page, with the same status.
    package static func page(_ problem: Problem, at path: String) -> Page {
        let status = HTTPResponse.Status(code: problem.status)
        let isOfInvitation = path.hasPrefix("/v1/invitations")
        let isOfLink = isOfInvitation || path.hasPrefix("/v1/links") || path.hasPrefix("/v1/public")
        let name =
            switch problem.code {
            case .notFound: path.hasPrefix("/s/") ? "unknownCode" : isOfLink ? "unknownLink" : "nothing"
            case .methodNotAllowed: "nothing"
            case .linkExpired: isOfInvitation ? "usedLink" : "expiredLink"
            case .tooFast, .quotaExceeded: "tooFast"
            case .busy: "busy"
            default: status.kind == .serverError ? "failed" : "noForm"
            }
        return page(name, status, id: status.kind == .serverError ? problem.id : nil)
    }

    /// The page with the texts `problem.NAME` and `problem.NAMEText`.
    package static func page(_ name: String, _ status: HTTPResponse.Status, id: String? = nil) -> Page {
        var values: [String: PageValue] = [
            "heading": .phrase("problem.\(name)"), "text": .phrase("problem.\(name)Text"),
        ]
        values["id"] = id.map(PageValue.text)
        values["signIn"] = .flag(Self.leadOn.contains(name))
        return Page(.problem, status, title: .phrase("problem.\(name)"), values)
    }
}
