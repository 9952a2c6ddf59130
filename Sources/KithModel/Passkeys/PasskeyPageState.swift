/// The content of the web page, and the options for the browser: the answer of `POST /v1/passkeys/page`.
///
/// It has either ``creation`` or ``request``. Each request makes a new challenge.
package struct PasskeyPageState: Hashable, Sendable, Codable {
    /// The name of the device that signs in, or of the new passkey.
    package var name: String?
    /// The network address of the device that started the ceremony.
    package var place: String
    /// Whether that device is in a different network from the browser.
    package var isElsewhere: Bool
    /// The options for adding a passkey; nil for a sign-in.
    package var creation: PasskeyCreationOptions?
    /// The options for signing in; nil for an addition.
    package var request: PasskeyRequestOptions?

    package init(
        name: String?, place: String, isElsewhere: Bool, creation: PasskeyCreationOptions? = nil,
        request: PasskeyRequestOptions? = nil
    ) {
        (self.name, self.place, self.isElsewhere) = (name, place, isElsewhere)
        (self.creation, self.request) = (creation, request)
    }
}
