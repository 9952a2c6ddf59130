import Foundation
import Kith
import KithModel
import Synchronization

/// The connection to the server of one account: signs requests, follows a limited number of redirects, and turns
/// refusals into ``KithError``.
///
/// The password goes only to the host in the account's address, whatever a redirect or an answer says.
struct DAVConnection: Sendable {
    let transport: any DAVTransport
    /// Where the password may go, starting with the account's address.
    let trust: PasswordTrust
    let user: String
    let password: String
    private let signing = Signing()

    /// How requests are signed: with Basic, until the server accepts only Digest.
    private final class Signing: Sendable {
        let isDigest = Mutex(false)
    }

    init(transport: any DAVTransport, trust: PasswordTrust, user: String, password: String) {
        (self.transport, self.trust, self.user, self.password) = (transport, trust, user, password)
    }

    var address: URL { trust.address }

    /// How many redirects are followed for one request.
    private static let redirects = 5

    /// Sends a request and follows redirects.
    ///
    /// - Returns: The answer, and the address that gave it.
    /// - Throws: ``KithError`` if the status is neither in `accepted` nor in 200–299.
    func send(
        _ method: String, _ url: URL, headers: [String: String] = [:], body: Data? = nil, limit: Int,
        accepted: Set<Int> = [], extent: DAVRequest.Extent = .whole
    ) async throws -> (answer: DAVResponse, url: URL) {
        var url = url
        for _ in 0...Self.redirects {
            try checkTrust(in: url)
            var request = DAVRequest(method: method, url: url, headers: headers, body: body, limit: limit)
            request.extent = extent
            let sent = signed(request)
            var answer = try await transport.send(sent)
            if answer.status == 401, sent.digest == nil, answer.offers("digest"), !answer.offers("basic") {
                signing.isDigest.withLock { $0 = true }
                answer = try await transport.send(signed(request))
            }
            if [301, 302, 307, 308].contains(answer.status), let location = answer.headers["location"],
                let next = URL(string: location, relativeTo: url)?.absoluteURL
            {
                url = next
                continue
            }
            guard (200..<300).contains(answer.status) || accepted.contains(answer.status) else {
                throw refusal(answer, at: url)
            }
            return (answer, url)
        }
        throw KithError(.refused, "\(host) redirects in a circle. Is the address right?")
    }

    private func signed(_ request: DAVRequest) -> DAVRequest {
        var request = request
        if signing.isDigest.withLock({ $0 }) {
            request.digest = DAVRequest.Digest(user: user, password: password)
        } else {
            request.headers["Authorization"] = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        }
        return request
    }

    /// Whether the server has refused this request but may accept a different one. False if it refuses everything or
    /// wants a pause.
    static func mayHelpToAskOtherwise(_ error: KithError) -> Bool {
        guard let status = (error.cause as? DAVStatus)?.status else { return error.code == .malformed }
        // Some servers answer 500 to an unknown token.
        return [400, 403, 405, 409, 410, 412, 415, 422, 500, 501].contains(status)
    }

    /// Whether a request for fewer cards may succeed.
    static func mayHelpToAskForLess(_ error: KithError) -> Bool {
        error.code == .tooMany || error.cause is DAVTooSlow || mayHelpToAskOtherwise(error)
    }

    /// Whether a refusal concerns only the requested resource, and says nothing about others.
    static func isOfOneResource(_ error: KithError) -> Bool {
        guard let status = (error.cause as? DAVStatus)?.status else {
            // A card that cannot be sent as it is, or a redirect to where the password may not go.
            return error.code == .refused && error.cause == nil
        }
        return ![401, 407, 408, 429, 502, 503, 504, 507].contains(status)
    }

    private var host: String { address.host() ?? address.absoluteString }

    /// - Throws: ``KithError`` with `refused` if the password may not go there.
    private func checkTrust(in url: URL) throws {
        guard let refusal = trust.refusal(of: url) else { return }
        let to = "\(host) sends us on to \(url.absoluteString). "
        let sentence =
            switch refusal {
            case .noAddress, .signedIn:
                to + "The password is not given to an address like that. Ask who runs the server."
            case .otherHost:
                to + "The password is given to no other host; if that one is to be trusted, add the account with its "
                    + "address."
            case .unencrypted:
                "\(url.absoluteString) is not encrypted, and everyone on the way could read the password. "
                    + "Use https, or say that the account is to be read without TLS."
            case .otherPort:
                to + "The password is not given to another port or without TLS; if that is to be trusted, add the "
                    + "account with this address."
            }
        throw KithError(.refused, sentence)
    }

    /// The error for a refusal: what it means, and what to do about it.
    private func refusal(_ answer: DAVResponse, at url: URL) -> KithError {
        let status = answer.status
        let retryAfter = answer.headers["retry-after"].flatMap { RetryAfter($0, date: answer.headers["date"])?.pause }
        let (code, sentence): (KithError.Code, String) =
            switch status {
            case 401 where answer.wantsAnotherSigning:
                (
                    .unauthorized,
                    "\(host) wants to be signed in to in another way than Kith knows, which are Basic and Digest."
                )
            case 401:
                (
                    .unauthorized,
                    "\(host) does not accept the name “\(user)” or its password. Check both; some servers want a "
                        + "password made for apps."
                )
            case 403: (.forbidden, "\(host) does not let “\(user)” do this at \(url.path()).")
            case 404, 410: (.notFound, "There is nothing at \(url.absoluteString). Is the address right?")
            case 413: (.tooMany, "\(host) does not take so much at once.")
            case 507: (.refused, "\(host) has no room left for “\(user)”. Delete something there.")
            case 408, 429, 500...: (.busy, "\(host) is busy or failing (status \(status)). It is asked again later.")
            default: (.refused, "\(host) refused a request at \(url.path()) with status \(status).")
            }
        return KithError(code, sentence, retryAfter: retryAfter, cause: DAVStatus(status: status))
    }
}

extension DAVResponse {
    /// Whether the server offers this authentication scheme.
    fileprivate func offers(_ scheme: String) -> Bool {
        // Each challenge begins a line or follows a comma.
        (headers["www-authenticate"] ?? "").lowercased().split(separator: ",").contains { part in
            part.trimmingCharacters(in: .whitespaces).prefix { $0 != " " } == scheme
        }
    }

    /// Whether the server offers only schemes that Kith does not support.
    fileprivate var wantsAnotherSigning: Bool {
        headers["www-authenticate"] != nil && !offers("basic") && !offers("digest")
    }
}

extension URL {
    /// The path with its characters percent-encoded in one uniform way, so that paths can be compared.
    var canonicalPath: String {
        let segments = path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false).map { part in
            (part.removingPercentEncoding ?? String(part)).percentEncoded
        }
        return segments.joined(separator: "/")
    }

    /// The same server with another path, which must be canonical.
    func at(path: String) -> URL {
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true) ?? URLComponents()
        (components.percentEncodedPath, components.query, components.fragment) = (path, nil, nil)
        return components.url ?? self
    }
}
