package import Foundation

/// The web page on which a passkey is added or used for a device without passkeys.
///
/// WebAuthn works only in scripts. The page has one, which the server sends as a file of its own, so that the content
/// security policy permits no other.
package enum PasskeyPage {
    /// The script of the page.
    package static let script = Data(PackageResources.passkey_js)

    /// The page. The script shows the sections that apply.
    package static let page = Page(.passkey, title: .phrase("passkey.title"), [:])
}
