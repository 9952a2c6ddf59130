/// A request to start the addition of a passkey or a sign-in with one: `POST /v1/passkeys/registrations` and `POST
/// /v1/passkeys/signins`.
package struct PasskeyCeremonyRequest: Hashable, Sendable, Codable {
    /// The name of the new passkey, or the name of the device that signs in.
    package var name: String?

    package init(name: String? = nil) { self.name = name }
}
