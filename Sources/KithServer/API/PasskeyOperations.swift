import Foundation
import HTTPTypes
import KithModel

/// Adds, shows and removes passkeys, signs in with them, and serves the web page that does so for other devices.
enum PasskeyOperations {
    static func list(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try Answer(json: try await call.api.features.passkeys.list(of: session.account))
    }

    static func remove(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try await call.api.features.passkeys.remove(
            try call.path.passkey(), of: session.account, evenLast: try call.removesLast())
        return Answer(.noContent)
    }

    static func beginAdding(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let request: PasskeyCeremonyRequest = try await call.read()
        return try Answer(
            .created,
            json: try await call.api.features.passkeys.beginAdding(
                request, to: session.account, token: session.token, from: call.incoming.address, at: call.now))
    }

    static func finishAdding(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let (id, attestation) = (try call.path.ceremony(), try await call.read(PasskeyAttestation.self))
        return try Answer(
            .created,
            json: try await call.api.features.passkeys.finishAdding(
                id, attestation, token: session.token, at: call.now))
    }

    static func outcome(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try Answer(
            json: try await call.api.features.passkeys.outcome(
                of: try call.path.ceremony(), token: session.token, at: call.now))
    }

    static func beginSignIn(_ call: Call) async throws -> Answer {
        let request: PasskeyCeremonyRequest = try await call.read()
        return try Answer(
            .created,
            json: try await call.api.features.passkeys.beginSignIn(request, from: call.incoming.address, at: call.now))
    }

    static func finishSignIn(_ call: Call) async throws -> Answer {
        let (id, assertion) = (try call.path.ceremony(), try await call.read(PasskeyAssertion.self))
        return try Answer(
            .created, json: try await call.api.features.passkeys.finishSignIn(id, assertion, at: call.now))
    }

    static func claim(_ call: Call) async throws -> Answer {
        let (id, claim) = (try call.path.ceremony(), try await call.read(PasskeyClaim.self))
        return try Answer(json: try await call.api.features.passkeys.claim(claim, of: id, at: call.now))
    }

    // MARK: The web page

    static func page(_ call: Call) async throws -> Answer { call.answer(PasskeyPage.page).scripted() }

    static func script(_ call: Call) async throws -> Answer {
        Answer(.ok, headers: [.contentType: "text/javascript; charset=utf-8"], body: PasskeyPage.script).scripted()
    }

    static func openPage(_ call: Call) async throws -> Answer {
        let request: PasskeyPageRequest = try await call.read()
        return try Answer(
            json: try await call.api.features.passkeys.open(request, from: call.incoming.address, at: call.now))
    }

    static func respond(_ call: Call) async throws -> Answer {
        let response: PasskeyPageResponse = try await call.read()
        try await call.api.features.passkeys.respond(response, at: call.now)
        return Answer(.noContent)
    }
}

extension Answer {
    /// The answer with a policy that lets a page run the server's own script, and send only to the server.
    fileprivate func scripted() -> Answer {
        var answer = self
        answer.headers[.contentSecurityPolicy] = """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
        answer.headers[.referrerPolicy] = "no-referrer"
        answer.headers[.crossOriginOpenerPolicy] = "same-origin"
        return answer
    }
}
