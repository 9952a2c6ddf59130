import HTTPTypes
import KithModel

/// Signs in at OpenID Connect issuers, and removes identities there from an account.
enum IssuerOperations {
    static func show(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try Answer(json: call.api.features.issuers.list)
    }

    static func begin(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let (issuer, request) = (try call.path.issuer(), try await call.read(IssuerSignInRequest.self))
        return try Answer(
            .created,
            json: try await call.api.features.issuers.begin(
                at: issuer, request, by: call.requester(session), now: call.now))
    }

    static func finish(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let answer: IssuerAnswer = try await call.read()
        return try Answer(
            json: try await call.api.features.issuers.finish(answer, by: call.requester(session), at: call.now))
    }

    static func remove(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try await call.api.features.issuers.remove(
            try call.path.issuerIdentity(), of: session.account, evenLast: try call.removesLast())
        return Answer(.noContent)
    }
}
