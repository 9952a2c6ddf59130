import HTTPTypes
import KithModel

/// Proves numbers and emails, and shows and removes those of an account.
enum SignInOperations {
    static func showCountries(_ call: Call) async throws -> Answer {
        try Answer(json: call.api.features.codes.countries)
    }

    static func sendCode(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let request: CodeRequest = try await call.read()
        let sent = try await call.api.features.codes.send(
            request, by: call.requester(session), for: session.account, at: call.now)
        return try Answer(.accepted, json: sent)
    }

    static func checkCode(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let (id, check) = (try call.path.code(), try await call.read(CodeCheck.self))
        return try Answer(
            json: try await call.api.features.codes.check(check.code, of: id, by: call.requester(session), at: call.now)
        )
    }

    static func showIdentities(_ call: Call, _ session: CallerSession) async throws -> Answer {
        var list = try await call.api.features.identities.list(of: session.account)
        list.issuers = try await call.api.features.issuers.identities(of: session.account)
        return try Answer(json: list)
    }

    static func removeIdentity(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let identity = try call.path.identity()
        try await call.api.features.identities.remove(
            identity, of: session.account, evenLast: try call.removesLast(), from: call.incoming.address.description,
            at: call.now)
        return Answer(.noContent)
    }
}

extension Call {
    /// Whether a way in is to be removed even if it is the last one: `?last=remove`.
    func removesLast() throws(ServerError) -> Bool {
        let last = try incoming.parameter("last")
        guard last == nil || last == "remove" else {
            throw ServerError(
                .malformed, "The query's “last” is not “remove”. Leave it out to keep the last way in.", path: "?last")
        }
        return last != nil
    }
}
