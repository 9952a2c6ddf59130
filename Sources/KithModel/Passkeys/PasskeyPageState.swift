/// What the web page shows and passes to the browser: the answer of `POST /v1/passkeys/page`.
///
/// It has one of both options. Each request for it makes a new challenge.
package struct PasskeyPageState: Hashable, Sendable, Codable {
    /// The name of the device that asks, or of the new passkey.
    package var name: String?
    /// The address of the device that asks.
    package var place: String
    /// Whether that device is in another network than the browser.
    package var isElsewhere: Bool
    /// For adding a passkey.
    package var creation: PasskeyCreationOptions?
    /// For signing in.
    package var request: PasskeyRequestOptions?

    package init(
        name: String?, place: String, isElsewhere: Bool, creation: PasskeyCreationOptions? = nil,
        request: PasskeyRequestOptions? = nil
    ) {
        (self.name, self.place, self.isElsewhere) = (name, place, isElsewhere)
        (self.creation, self.request) = (creation, request)
    }
}
