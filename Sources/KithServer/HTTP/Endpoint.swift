package import Foundation
package import HTTPTypes
package import KithModel

/// One thing that the API can do, as a request's method and path ask for it.
package enum Endpoint: Hashable, Sendable {
    case openSession
    case showSession
    case closeSession
    case deleteAccount
    case sync
    case live
    case createLink(ListID)
    case showLinks(ListID)
    case revokeLink(LinkID, of: ListID)
    case showRemoved(ListID)
    case letIn(AccountID, to: ListID)
    case previewLink(String)
    case acceptLink(String)
    case showPublicList(String)
    case showDiscovery
    case evaluate
    case showBuckets
    case showAccount(AccountID)
    /// The picture in the size whose field in the profile this is.
    case showPicture(AccountID, PictureSize)
    case showPresence(AccountID)
    case putPicture(Data)
    case searchDirectory
    case setPresence
    case health
    case ready
    case metrics
    case description

    /// What a method and a path lead to.
    package enum Found: Hashable, Sendable {
        case endpoint(Endpoint)
        /// The path is known, but not with this method.
        case wrongMethod(allowed: [HTTPRequest.Method])
        /// There is no such path; also where an id in it is no UUID.
        case nothing
    }

    /// Reads a request's method, and its path without the query.
    ///
    /// A path is taken as it is: no slash at its end, no letter in another case.
    package static func find(_ method: HTTPRequest.Method, _ path: String) -> Found {
        guard let endpoints = all(at: path) else { return .nothing }
        // Whoever may ask for a body may ask for its headers alone (RFC 9110, section 9.1).
        let asked = method == .head ? .get : method
        if let match = endpoints.first(where: { $0.method == asked }) { return .endpoint(match.endpoint) }
        var allowed = endpoints.map(\.method)
        if allowed.contains(.get) { allowed.append(.head) }
        return .wrongMethod(allowed: allowed)
    }

    private typealias Entry = (method: HTTPRequest.Method, endpoint: Endpoint)

    private static func all(at path: String) -> [Entry]? {
        guard path.hasPrefix("/") else { return nil }
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 1 {
            switch parts[0] {
            case "health": return [(.get, .health)]
            case "ready": return [(.get, .ready)]
            case "metrics": return [(.get, .metrics)]
            case "openapi.json": return [(.get, .description)]
            default: return nil
            }
        }
        guard parts[0] == "v1" else { return nil }
        switch (parts.count, parts[1]) {
        case (2, "sessions"): return [(.post, .openSession)]
        case (2, "session"): return [(.get, .showSession), (.delete, .closeSession)]
        case (2, "account"): return [(.delete, .deleteAccount)]
        case (2, "sync"): return [(.post, .sync)]
        case (2, "live"): return [(.get, .live)]
        case (2, "discovery"): return [(.get, .showDiscovery)]
        case (3, "discovery") where parts[2] == "evaluations": return [(.post, .evaluate)]
        case (3, "discovery") where parts[2] == "buckets": return [(.post, .showBuckets)]
        case (3, "links"): return token(parts[2]).map { [(.get, .previewLink($0))] }
        case (4, "links") where parts[3] == "accept": return token(parts[2]).map { [(.post, .acceptLink($0))] }
        case (3, "public"): return token(parts[2]).map { [(.get, .showPublicList($0))] }
        case (4, "lists") where parts[3] == "links":
            return ListID(parts[2]).map { [(.post, .createLink($0)), (.get, .showLinks($0))] }
        case (5, "lists") where parts[3] == "links":
            guard let list = ListID(parts[2]), let link = LinkID(parts[4]) else { return nil }
            return [(.delete, .revokeLink(link, of: list))]
        case (4, "lists") where parts[3] == "removed": return ListID(parts[2]).map { [(.get, .showRemoved($0))] }
        case (5, "lists") where parts[3] == "removed":
            guard let list = ListID(parts[2]), let person = AccountID(parts[4]) else { return nil }
            return [(.delete, .letIn(person, to: list))]
        default: return people(parts)
        }
    }

    private static func people(_ parts: [String]) -> [Entry]? {
        switch (parts.count, parts[1]) {
        case (3, "accounts"): return AccountID(parts[2]).map { [(.get, .showAccount($0))] }
        case (4, "accounts") where parts[3] == "presence":
            return AccountID(parts[2]).map { [(.get, .showPresence($0))] }
        case (5, "accounts") where parts[3] == "picture":
            guard let size = PictureSize(rawValue: parts[4]) else { return nil }
            return AccountID(parts[2]).map { [(.get, .showPicture($0, size))] }
        case (3, "pictures"):
            guard let hash = Hex.bytes(parts[2]), hash.count == Secret.size else { return nil }
            return [(.put, .putPicture(hash))]
        case (2, "directory"): return [(.get, .searchDirectory)]
        case (2, "presence"): return [(.put, .setPresence)]
        default: return nil
        }
    }

    /// A link's token from its place in a path: Base64url, so what is written otherwise is none of ours.
    private static func token(_ text: String) -> String? {
        let isOurs = text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        return isOurs && (1...128).contains(text.utf8.count) ? text : nil
    }
}

extension Endpoint {
    /// The name in logs and metrics: `operationId` in `openapi.json`. It holds nothing of the request.
    package var name: String {
        switch self {
        case .openSession: "openSession"
        case .showSession: "showSession"
        case .closeSession: "closeSession"
        case .deleteAccount: "deleteAccount"
        case .sync: "sync"
        case .live: "live"
        case .createLink: "createLink"
        case .showLinks: "showLinks"
        case .revokeLink: "revokeLink"
        case .showRemoved: "showRemoved"
        case .letIn: "letIn"
        case .previewLink: "previewLink"
        case .acceptLink: "acceptLink"
        case .showPublicList: "showPublicList"
        case .showDiscovery: "showDiscovery"
        case .evaluate: "evaluate"
        case .showBuckets: "showBuckets"
        case .showAccount: "showAccount"
        case .showPicture: "showPicture"
        case .showPresence: "showPresence"
        case .putPicture: "putPicture"
        case .searchDirectory: "searchDirectory"
        case .setPresence: "setPresence"
        case .health: "health"
        case .ready: "ready"
        case .metrics: "metrics"
        case .description: "description"
        }
    }

    /// Who may ask, and whose bucket pays for it.
    package enum Caller: Hashable, Sendable {
        /// The operator and its machines: neither token nor rate limit.
        case operating
        /// Anyone; the address pays.
        case anyone
        /// Anyone; the address pays from the smaller bucket of new sessions.
        case newcomer
        /// Someone with a session, which pays.
        case session
    }

    package var caller: Caller {
        switch self {
        case .health, .ready, .metrics, .description: .operating
        case .previewLink, .showPublicList: .anyone
        case .openSession: .newcomer
        default: .session
        }
    }
}
