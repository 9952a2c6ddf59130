package import Foundation
import KithModel

/// The stylesheet of the web pages. It never changes while the server runs.
package enum Stylesheet {
    /// The path of the stylesheet below the server's public address.
    package static let path = "/pages/style.css"
    package static let bytes = Data(PackageResources.style_css)
    /// Part of the address in pages, so that browsers do not use the stylesheet of another version.
    static let version = Secret.sha256(bytes).prefix(6).base64URL
}
