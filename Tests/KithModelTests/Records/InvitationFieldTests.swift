import Foundation
import KithModel
import Testing

extension FieldTests {
    /// The rows of invitations.
    static let invitationRows: [Row] =
        [
            .text(Invitation.schema, "recipient", 300, least: 1),
            choice("purpose", ["join", "connect", "list"], isRequired: true),
            choice("role", ["viewer", "editor"]),
            choice("delivery", ["server", "device"]),
            choice("answer", ["accept", "decline"]),
            choice("state", ["pending", "accepted", "failed"]),
            .text(Invitation.schema, "text", Limits.invitationText),
            .text(Invitation.schema, "name", 200),
            .text(Invitation.schema, "language", 35),
            .text(Invitation.schema, "reason", 40),
            .text(Invitation.schema, "detail", 200),
            .text(Invitation.schema, "listName", 200),
            .text(Invitation.schema, "peerName", 201),
            Row(schema: Invitation.schema, field: "isRevoked", good: [true, false, .null], bad: [0, "true"]),
            Row(
                schema: Invitation.schema, field: "secret",
                good: [.text(String(repeating: "0", count: 64)), .null],
                bad: ["0", .text(String(repeating: "G", count: 64)), 1]),
        ]
        + ["requested", "notified", "expires"].map {
            Row(schema: Invitation.schema, field: $0, good: [0, .integer(.max), .null], bad: [-1, "1", true])
        }
        + ["list", "inviter", "peer"].map {
            Row(
                schema: Invitation.schema, field: $0, good: [.text(uuid(5).text), .null],
                bad: [.text(uuid(0xA).uuidString), "5", "", 5])
        }

    private static func choice(_ field: String, _ words: [FieldValue], isRequired: Bool = false) -> Row {
        Row(
            schema: Invitation.schema, field: field, good: words + (isRequired ? [] : [.null]),
            bad: ["", "other", true, 1] + (isRequired ? [.null] : []))
    }
}
