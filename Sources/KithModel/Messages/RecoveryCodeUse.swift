/// A request to sign in with a recovery code, as the user typed it: `POST /v1/recovery-codes/use`.
package struct RecoveryCodeUse: Hashable, Sendable, Codable {
    /// The code. Case, spaces and dashes do not matter.
    package var code: String
    /// The name of the device, for the notice and the list of sessions.
    package var device: String?
    /// The wanted languages of the notice, best first, as tags such as `de-AT` (RFC 5646).
    package var languages: [String]?

    package init(code: String, device: String? = nil, languages: [String]? = nil) {
        (self.code, self.device, self.languages) = (code, device, languages)
    }
}
