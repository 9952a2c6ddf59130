/// The web page of a QR code that adds a device, for people who read the code with the camera instead of the app.
///
/// The page cannot sign in: the token is in the fragment of its address, which browsers do not send.
package enum PairingPage {
    /// The page, with a link to `appPage`, where people get the app, unless that is nil.
    package static func page(appPage: String?) -> Page {
        var values: [String: PageValue] = [:]
        values["appPage"] = appPage.map(PageValue.text)
        return Page(.pairing, title: .phrase("pairing.title"), values)
    }
}
