import KithModel

/// The server's endpoints for the links of invitations.
extension SessionConnection {
    func acceptInvitation(_ secret: String) async throws -> InvitationAcceptance {
        try await call("POST", "/v1/invitations/\(secret)/accept")
    }
}

extension ServerConnection {
    func previewInvitation(_ secret: String) async throws -> InvitationPreview {
        try await call("GET", "/v1/invitations/\(secret)")
    }
}
