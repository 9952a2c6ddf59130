/// A request to sign in with a recovery code, as the user typed it: `POST /v1/recovery-codes/use`.
package struct RecoveryCodeUse: Hashable, Sendable, Codable {
    /// The code. Case, spaces and dashes do not matter.
    package var code: String
    /// The name of the device, for the notice and the list of sessions.
    package var device: String?

    package init(code: String, device: String? = nil) { (self.code, self.device) = (code, device) }
}
