import HTTPTypes
import KithModel

/// Adds devices to an account by a QR code.
enum PairingOperations {
    static func make(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let key = try call.requestKey()
        let pairing = try await call.api.features.pairings.make(
            for: session.account, by: call.requester(session), address: call.api.origin.text, key: key, at: call.now)
        return try Answer(.created, json: pairing)
    }

    static func show(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try Answer(
            json: try await call.api.features.pairings.status(
                of: try call.path.pairing(), of: session.account, at: call.now))
    }

    static func end(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try await call.api.features.pairings.end(try call.path.pairing(), of: session.account)
        return Answer(.noContent)
    }

    static func use(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let use: PairingUse = try await call.read()
        return try Answer(
            json: try await call.api.features.pairings.use(use, by: call.requester(session), at: call.now))
    }
}
