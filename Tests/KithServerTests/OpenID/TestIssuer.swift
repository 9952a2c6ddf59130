import Foundation
import KithModel
import KithServer
import Synchronization

/// An issuer without a network: it answers the server's requests, and signs what a test wants.
final class TestIssuer: IssuerTransport {
    /// A token before it is signed. Claims are JSON by their names.
    struct Draft {
        var head: [String: String]
        var claims: [String: String]
        var key: TokenKey
        /// The token itself, in place of the rest.
        var raw: String?
        /// The content, in place of the claims.
        var content: String?

        var token: String {
            let content =
                content ?? "{"
                + claims.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
            return raw ?? key.sign(head, content)
        }
    }

    /// What the issuer does, and what it was asked.
    struct State {
        var keys: [TokenKey] = [.rsa, .curve]
        /// The id under which it shows a key; nil for none.
        var idOfKey: @Sendable (TokenKey) -> String? = { $0.id }
        /// More members of its metadata, as JSON by their names.
        var metadata: [String: String] = [:]
        var change: @Sendable (inout Draft) -> Void = { _ in }
        var isDown = false
        var paths: [String] = []
        fileprivate var codes: [String: [String: String]] = [:]
        fileprivate var count = 0
    }

    let url: String
    private let clock: HandClock
    private let state = Mutex(State())

    init(_ url: String = "https://issuer.example", clock: HandClock) { (self.url, self.clock) = (url, clock) }

    /// Changes what the issuer does.
    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// The paths of the requests so far.
    var paths: [String] { state.withLock { $0.paths } }

    /// The user signs in on the page at `address`.
    ///
    /// - Returns: The answer that the issuer sends to the redirect address.
    func authorize(_ address: String) -> IssuerAnswer {
        let items = URLComponents(string: address)?.queryItems ?? []
        let fields = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
        return state.withLock { state in
            state.count += 1
            let code = "code\(state.count)"
            state.codes[code] = fields
            return IssuerAnswer(state: fields["state"] ?? "", code: code)
        }
    }

    func send(_ request: IssuerRequest) async throws -> IssuerReply {
        let path = String(request.url.dropFirst(url.count))
        return try state.withLock { state in
            state.paths.append(path)
            if state.isDown { return IssuerReply(status: 503, body: Data()) }
            switch path {
            case "/.well-known/openid-configuration": return reply(document(state))
            case "/keys":
                let keys = state.keys.map { $0.json(named: state.idOfKey($0)) }
                return reply("{\"keys\":[\(keys.joined(separator: ","))]}")
            case "/token": return try token(request, &state)
            default: return IssuerReply(status: 404, body: Data())
            }
        }
    }

    private func reply(_ text: String) -> IssuerReply { IssuerReply(status: 200, body: Data(text.utf8)) }

    private func document(_ state: State) -> String {
        var members = [
            "issuer": "\"\(url)\"", "authorization_endpoint": "\"\(url)/authorize?tenant=1\"",
            "token_endpoint": "\"\(url)/token\"", "jwks_uri": "\"\(url)/keys\"",
        ]
        members.merge(state.metadata) { $1 }
        return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    /// Redeems a code once, if the verifier belongs to its challenge (RFC 7636, section 4.6).
    private func token(_ request: IssuerRequest, _ state: inout State) throws -> IssuerReply {
        guard let form = request.form, let code = form["code"], let begun = state.codes.removeValue(forKey: code),
            form["grant_type"] == "authorization_code", form["redirect_uri"] == begun["redirect_uri"],
            begun["code_challenge_method"] == "S256",
            Secret.sha256(form["code_verifier"] ?? "").base64URL == begun["code_challenge"],
            request.authorization == "Basic \(Data("kith%20app:s%3Acret".utf8).base64EncodedString())"
        else { return IssuerReply(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8)) }
        let now = (HandClock.start + clock.now).milliseconds / 1_000
        var draft = Draft(
            head: ["alg": "RS256", "kid": TokenKey.rsa.id],
            claims: [
                "iss": "\"\(url)\"", "sub": "\"ada\"", "aud": "\"kith app\"", "iat": "\(now)", "exp": "\(now + 300)",
                "nonce": "\"\(begun["nonce"] ?? "")\"",
            ], key: .rsa)
        state.change(&draft)
        return reply("{\"access_token\":\"x\",\"token_type\":\"Bearer\",\"id_token\":\"\(draft.token)\"}")
    }
}
