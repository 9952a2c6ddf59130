/// A request for a new set of recovery codes: `POST /v1/recovery-codes`.
package struct RecoveryCodeRequest: Hashable, Sendable, Codable {
    /// The languages of the notice if the account's profile has none, best first, as tags such as `de-AT` (RFC 5646).
    package var languages: [String]?

    package init(languages: [String]? = nil) { self.languages = languages }
}
