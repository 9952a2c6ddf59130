/// A request of a new device to sign in with a pairing: `POST /v1/pairings/use`.
package struct PairingUse: Hashable, Sendable, Codable {
    /// The token of the pairing's link: 256 random bits in Base64url.
    package var token: String
    /// The name of the new device, at most ``Limits/deviceName`` characters.
    package var device: String?

    package init(token: String, device: String? = nil) { (self.token, self.device) = (token, device) }
}
