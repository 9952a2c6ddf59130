import Foundation
import KithModel

/// A row of the table `issuer_login`: a sign-in that was begun.
///
/// The row has hashes of the state and of the session's token. The nonce and the verifier are not stored: they are
/// derived from the state and the token, which only the device has. So neither a thief of the database nor another
/// session can finish the sign-in.
struct IssuerLoginRow {
    let issuer: String
    let redirect: String
    let device: String?

    /// The nonce of a sign-in.
    static func nonce(_ state: String, token: String) -> String {
        Secret.hmac("nonce\0\(state)", key: Data(token.utf8)).base64URL
    }

    /// The verifier of a sign-in: 43 characters (RFC 7636, section 4.1).
    static func verifier(_ state: String, token: String) -> String {
        Secret.hmac("verifier\0\(state)", key: Data(token.utf8)).base64URL
    }

    /// Stores a new sign-in.
    func insert(
        state: String, session: Data, at now: Timestamp, in transaction: any Transaction
    ) throws {
        try transaction.insert(
            into: "issuer_login", ["state", "session", "issuer", "redirect", "device", "created"],
            [
                [
                    .bytes(Secret.sha256(state)), .bytes(session), .text(issuer), .text(redirect), .text(device),
                    .time(now),
                ]
            ])
    }

    /// Deletes the sign-in with this state and returns it, so that it is finished once; nil if the session has none.
    static func take(
        state: String, session: Data, at now: Timestamp, lifetime: Duration, in transaction: any Transaction
    ) throws -> IssuerLoginRow? {
        let rows = try transaction.query(
            "DELETE FROM issuer_login WHERE state = ? AND session = ? RETURNING issuer, redirect, device, created",
            [.bytes(Secret.sha256(state)), .bytes(session)])
        return try rows.first.flatMap { row in
            // One that has begun so much later than now, while the clock was ahead, has expired, too.
            let begun = try row.time(3)
            guard begun > now - lifetime, begun < now + lifetime else { return nil }
            return IssuerLoginRow(issuer: try row.text(0), redirect: try row.text(1), device: try row.optionalText(2))
        }
    }
}
