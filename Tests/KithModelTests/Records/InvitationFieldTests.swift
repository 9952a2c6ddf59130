import KithModel
import Testing

extension FieldTests {
    /// The rows of invitations.
    static let invitationRows: [Row] = [
        .text(Invitation.schema, "recipient", 300, least: 1),
        .choice(Invitation.schema, "purpose", ["join", "connect", "list"], isRequired: true),
        .choice(Invitation.schema, "role", ["viewer", "editor"]),
        .choice(Invitation.schema, "delivery", ["server", "device"]),
        .choice(Invitation.schema, "answer", ["accept", "decline"]),
        .choice(Invitation.schema, "state", ["pending", "accepted", "failed"]),
        .text(Invitation.schema, "text", Limits.invitationText),
        .text(Invitation.schema, "name", 200),
        .text(Invitation.schema, "language", 35),
        .text(Invitation.schema, "reason", 40),
        .text(Invitation.schema, "detail", 200),
        .text(Invitation.schema, "listName", 200),
        .text(Invitation.schema, "peerName", 201),
        .flag(Invitation.schema, "isRevoked"),
        Row(
            schema: Invitation.schema, field: "secret",
            good: [.text(String(repeating: "0", count: 64)), .null],
            bad: ["0", .text(String(repeating: "G", count: 64)), 1]),
        .time(Invitation.schema, "requested"),
        .time(Invitation.schema, "notified"),
        .time(Invitation.schema, "expires"),
        .identifier(Invitation.schema, "list"),
        .identifier(Invitation.schema, "inviter"),
        .identifier(Invitation.schema, "peer"),
    ]
}
