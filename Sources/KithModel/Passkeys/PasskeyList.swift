/// The passkeys of an account, oldest first: the answer of `GET /v1/passkeys`.
package struct PasskeyList: Hashable, Sendable, Codable {
    /// The passkeys.
    package var passkeys: [Passkey]

    package init(passkeys: [Passkey]) { self.passkeys = passkeys }
}
