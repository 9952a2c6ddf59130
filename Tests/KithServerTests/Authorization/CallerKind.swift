/// A kind of caller of an operation.
enum CallerKind: Int, CaseIterable, Sendable {
    /// No token, from somewhere on the internet.
    case nobody
    /// A token that no server has created.
    case unknown
    /// The token of a session that was closed.
    case loggedOut
    /// The operator's own machine, without a token and without a proxy. Operators have their rights at the database, not
    /// over HTTP.
    case `operator`
    /// An anonymous account that is in no list.
    case anonymous
    /// An identified account that is not in the list that the request names.
    case stranger
    /// A person that the list's owner has blocked.
    case blocked
    /// A person that the owner has removed from the list.
    case formerMember
    case viewer
    /// An editor of the list who is connected with the owner.
    case editor
    case owner

    /// Whether the caller has a session.
    var isSignedIn: Bool { rawValue >= Self.anonymous.rawValue }

    /// The headers of the caller's requests. Each caller but the operator is in a network of their own, behind a proxy.
    var headers: [String: String] { self == .operator ? [:] : ["X-Forwarded-For": "198.51.\(rawValue).1"] }
}
