import Foundation
import KithModel

/// The session that a sign-in opens, which is the same if the sign-in is repeated. So the device keeps a valid token
/// whichever of the answers it receives, and in whichever order its requests arrive.
///
/// A key of the database derives the token from secrets of the device. The database has only hashes of these secrets, so
/// neither the device nor a thief of the database can compute the token alone.
struct RepeatableSession {
    let account: AccountID
    let token: String
    /// The SHA-256 of the token.
    let hash: Data

    /// The session of a sign-in. It is not opened yet.
    ///
    /// - Parameters:
    ///   - account: The account of the session.
    ///   - secrets: What identifies the sign-in. One of them has 256 random bits that only the device knows.
    ///   - random: The source of the key.
    ///   - transaction: The transaction of the sign-in.
    /// - Throws: ``ServerError`` if the database fails.
    init(
        of account: AccountID, from secrets: [String], random: RandomBytes, in transaction: any Transaction
    ) throws {
        let key = try Meta.findOrCreateKey("sessionKey", random, in: transaction)
        let source = ([account.description] + secrets).joined(separator: "\0")
        self.account = account
        token = RandomBytes(key: key) { "session\0\($0)\0\(source)" }.token()
        hash = Secret.sha256(token)
    }

    /// Opens the session, unless the sign-in has opened it before.
    ///
    /// - Parameters:
    ///   - earlier: The hash of the token that the sign-in has given before; nil the first time.
    ///   - device: The name of the device.
    ///   - now: The server's time.
    ///   - transaction: The transaction of the sign-in.
    /// - Returns: The signals to send after the commit. nil if the earlier session is gone: it was closed, and does not come
    ///   back.
    /// - Throws: ``ServerError`` if the database fails.
    func open(
        repeating earlier: Data?, device: String?, at now: Timestamp, in transaction: any Transaction
    ) throws -> Signals? {
        if let earlier {
            return try SessionTable.exists(earlier, in: transaction) && earlier == hash ? Signals() : nil
        }
        return try SessionTable.open(hash, of: account, device: device, at: now, in: transaction)
    }
}
