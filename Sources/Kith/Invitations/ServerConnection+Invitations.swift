import KithModel

/// The server's endpoints for people with the link of an invitation.
extension ServerConnection {
    func previewInvitation(_ secret: String) async throws -> InvitationPreview {
        try await call("GET", "/v1/invitations/\(secret)")
    }

    func acceptInvitation(_ secret: String, token: String) async throws -> InvitationAcceptance {
        try await call("POST", "/v1/invitations/\(secret)/accept", token: token)
    }

    /// The complete link with a secret; nil if the address of the server is not known.
    func invitationLink(_ secret: String) -> String? { address.map { "\($0)/v1/invitations/\(secret)" } }
}
