import HTTPTypes
import KithModel

/// Makes recovery codes, and signs in with them.
enum RecoveryOperations {
    static func create(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let key = try call.requestKey()
        let request: RecoveryCodeRequest = try await call.read()
        let codes = try await call.api.features.recovery.create(
            for: session.account, languages: request.languages ?? [], address: call.incoming.address.description,
            key: key, at: call.now)
        return try Answer(.created, json: codes)
    }

    static func show(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try Answer(json: try await call.api.features.recovery.status(of: session.account))
    }

    static func use(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let use: RecoveryCodeUse = try await call.read()
        return try Answer(
            json: try await call.api.features.recovery.use(use, by: call.requester(session), at: call.now))
    }
}
