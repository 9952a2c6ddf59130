import Foundation
import HTTPTypes
import KithModel

/// Adds, shows and removes passkeys, signs in with them, and serves the web page that does so for other devices.
enum PasskeyOperations {
    static func list(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        try Answer(json: try await call.api.passkeys.list(of: session.account))
    }

    static func remove(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        try await call.api.passkeys.remove(
            try call.path.passkey(), of: session.account, evenLast: try call.removesLast())
        return Answer(.noContent)
    }

    static func beginAdding(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let request: PasskeyCeremonyRequest = try await call.read()
        return try Answer(
            .created,
            json: try await call.api.passkeys.beginAdding(
                request, to: session.account, token: call.ration.token ?? "", from: place(of: call), at: call.now))
    }

    static func finishAdding(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let (id, attestation) = (try call.path.ceremony(), try await call.read(PasskeyAttestation.self))
        return try Answer(
            .created,
            json: try await call.api.passkeys.finishAdding(
                id, attestation, token: call.ration.token ?? "", at: call.now))
    }

    static func outcome(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        try Answer(
            json: try await call.api.passkeys.outcome(
                of: try call.path.ceremony(), token: call.ration.token ?? "", at: call.now))
    }

    static func beginSignIn(_ call: Call) async throws -> Answer {
        let request: PasskeyCeremonyRequest = try await call.read()
        return try Answer(
            .created, json: try await call.api.passkeys.beginSignIn(request, from: place(of: call), at: call.now))
    }

    static func finishSignIn(_ call: Call) async throws -> Answer {
        let (id, assertion) = (try call.path.ceremony(), try await call.read(PasskeyAssertion.self))
        return try Answer(
            .created, json: try await call.api.passkeys.finishSignIn(id, assertion, at: call.now))
    }

    static func claim(_ call: Call) async throws -> Answer {
        let (id, claim) = (try call.path.ceremony(), try await call.read(PasskeyClaim.self))
        return try Answer(json: try await call.api.passkeys.claim(claim, of: id, at: call.now))
    }

    // MARK: The web page

    static func page(_ call: Call) async throws -> Answer {
        let page = PasskeyPage.page(
            call.api.passkeys.service, accepted: call.incoming.headers[.acceptLanguage])
        return file(page, "text/html; charset=utf-8")
    }

    static func script(_ call: Call) async throws -> Answer {
        file(PasskeyPage.script, "text/javascript; charset=utf-8")
    }

    static func style(_ call: Call) async throws -> Answer { file(PasskeyPage.style, "text/css; charset=utf-8") }

    static func openPage(_ call: Call) async throws -> Answer {
        let request: PasskeyPageRequest = try await call.read()
        return try Answer(json: try await call.api.passkeys.open(request, from: place(of: call), at: call.now))
    }

    static func respond(_ call: Call) async throws -> Answer {
        let response: PasskeyPageResponse = try await call.read()
        try await call.api.passkeys.respond(response, at: call.now)
        return Answer(.noContent)
    }

    /// A file of the page. It can run only the server's own script, and send only to the server.
    private static func file(_ data: Data, _ type: String) -> Answer {
        Answer(
            .ok,
            headers: [
                .contentType: type, .referrerPolicy: "no-referrer", .crossOriginOpenerPolicy: "same-origin",
                .contentSecurityPolicy: """
                default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
                form-action 'none'; frame-ancestors 'none'
                """,
            ], body: data)
    }

    private static func place(of call: Call) -> PasskeyService.Place {
        PasskeyService.Place(network: call.incoming.address.network, address: call.incoming.address.description)
    }
}

extension HTTPField.Name {
    // The name is constant and valid.
    fileprivate static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
}
