import Foundation
package import KithModel

/// Talks to one issuer: fetches its metadata and keys, and exchanges codes for tokens.
///
/// Calls that need the same document at the same time share one request.
package actor IssuerClient {
    /// How long the metadata is used.
    package static let metadataLifetime = Duration.days(1)

    private let settings: IssuerSettings
    private let transport: any IssuerTransport
    private var cache = IssuerCache()
    private var known: (metadata: IssuerMetadata, at: Timestamp)?
    private var fetchingMetadata: Task<IssuerMetadata, any Error>?
    private var fetchingKeys: Task<[SigningKey], any Error>?

    package init(_ settings: IssuerSettings, transport: any IssuerTransport) {
        (self.settings, self.transport) = (settings, transport)
    }

    /// The issuer's metadata.
    ///
    /// - Throws: ``IssuerFault``.
    package func metadata(at now: Timestamp) async throws -> IssuerMetadata {
        if let known, now < known.at + Self.metadataLifetime { return known.metadata }
        let (url, transport) = (settings.url, transport)
        let task =
            fetchingMetadata
            ?? Task {
                let base = url.hasSuffix("/") ? String(url.dropLast()) : url
                return try IssuerMetadata(try await Self.get(base + IssuerMetadata.path, transport), of: url)
            }
        fetchingMetadata = task
        defer { fetchingMetadata = nil }
        let metadata = try await task.value
        known = (metadata, now)
        return metadata
    }

    /// The key with which a token was signed.
    ///
    /// - Parameters:
    ///   - header: The head of the token.
    ///   - wrong: The key that this has given before, and that has not signed the token; nil the first time.
    ///   - now: The server's time.
    /// - Returns: The key.
    /// - Throws: ``IssuerFault`` if the issuer has no such key, or its keys cannot be fetched.
    package func key(
        for header: TokenHeader, insteadOf wrong: SigningKey? = nil, at now: Timestamp
    ) async throws -> SigningKey {
        switch cache.step(for: header, insteadOf: wrong, at: now) {
        case .use(let key): return key
        case .refuse: throw Self.unknownKey
        case .fetch: break
        }
        let (address, transport) = (try await metadata(at: now).keys, transport)
        let task = fetchingKeys ?? Task { try SigningKey.all(try await Self.get(address, transport)) }
        fetchingKeys = task
        defer { fetchingKeys = nil }
        do {
            cache.store(try await task.value, at: now)
        } catch {
            cache.store(nil, at: now)
            // Keys that are no longer fresh may still be used.
            guard case .use(let key) = cache.step(for: header, insteadOf: wrong, at: now) else { throw error }
            return key
        }
        guard case .use(let key) = cache.step(for: header, insteadOf: wrong, at: now) else { throw Self.unknownKey }
        return key
    }

    /// Exchanges a code for an id token (OpenID Connect Core 1.0, section 3.1.3; RFC 7636, section 4.5).
    ///
    /// - Throws: ``IssuerFault``.
    package func redeem(
        _ code: String, verifier: String, redirect: String, at now: Timestamp
    ) async throws -> String {
        let metadata = try await metadata(at: now)
        var fields: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
            ("code_verifier", verifier),
        ]
        var authorization: String?
        if let secret = settings.clientSecret, metadata.usesBasic {
            // RFC 6749, section 2.3.1: both are encoded as in a form.
            let pair = "\(settings.clientID.percentEncoded):\(secret.percentEncoded)"
            authorization = "Basic \(Data(pair.utf8).base64EncodedString())"
        } else {
            fields.append(("client_id", settings.clientID))
            if let secret = settings.clientSecret { fields.append(("client_secret", secret)) }
        }
        let reply = try await transport.send(
            IssuerRequest(url: metadata.tokenEndpoint, form: FormFields(fields), authorization: authorization))
        guard reply.status == 200 else { throw IssuerFault("it answered \(reply.status) to the code") }
        do throws(ServerError) {
            return try JSONBody.decode(Tokens.self, from: reply.body).idToken
        } catch {
            throw IssuerFault("its answer to the code is malformed: \(error.sentence)")
        }
    }

    private struct Tokens: Decodable {
        var idToken: String

        enum CodingKeys: String, CodingKey { case idToken = "id_token" }
    }

    private static let unknownKey = IssuerFault("its token is signed with a key that it does not have")

    private static func get(_ address: String, _ transport: any IssuerTransport) async throws -> Data {
        let reply = try await transport.send(IssuerRequest(url: address))
        guard reply.status == 200 else { throw IssuerFault("it answered \(reply.status)") }
        return reply.body
    }
}
