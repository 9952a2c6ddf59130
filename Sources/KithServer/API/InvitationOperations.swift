import KithModel

/// The operations for people with the link of an invitation.
enum InvitationOperations {
    static func preview(_ call: Call) async throws -> Answer {
        if call.incoming.prefersHTML { return try await PageOperations.preview(call, .invitation) }
        return try Answer(json: try await call.api.features.invitations.preview(try call.path.token(), at: call.now))
    }

    static func accept(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let token = try call.path.token()
        return try Answer(
            json: try await call.api.features.invitations.accept(token, by: session.account, at: call.now))
    }
}
