package import Foundation
import KithModel

/// A file of the web pages that is the same for everybody: the stylesheet, the icons, or a script.
///
/// It never changes while the server runs.
package enum PageFile: String, CaseIterable, Sendable {
    case style = "style.css"
    /// The symbols that pages show with `<use>`.
    case icons = "icons.svg"
    /// The icon of a window or a tab.
    case icon = "icon.svg"
    /// Signs in with a passkey.
    case signIn = "signin.js"
    /// Shows the buttons that copy a text.
    case copy = "copy.js"
    /// Keeps the list of a public link current.
    case list = "list.js"
    /// Loads the page of an account again if somebody comes back to it.
    case back = "back.js"

    /// The path below the server's public address.
    package var path: String { "/pages/\(rawValue)" }

    /// The media type.
    package var type: String {
        switch self {
        case .style: "text/css; charset=utf-8"
        case .icons, .icon: "image/svg+xml"
        case .back, .copy, .list, .signIn: "text/javascript; charset=utf-8"
        }
    }

    /// The content.
    package var bytes: Data {
        // `contents` has every case.
        Self.contents[self]!.bytes
    }

    /// The address in pages. It changes with the file, so that browsers do not use the file of another version.
    ///
    /// - Parameter root: The path of the server's public address, without a slash at its end.
    /// - Returns: The address, with the version of the file.
    func address(root: String) -> String {
        // `contents` has every case.
        "\(root)\(path)?v=\(Self.contents[self]!.version)"
    }

    private static let contents: [PageFile: (bytes: Data, version: String)] = allCases.reduce(into: [:]) {
        contents, file in
        let bytes = Data(file.source)
        contents[file] = (bytes, Secret.sha256(bytes).prefix(6).base64URL)
    }

    private var source: [UInt8] {
        switch self {
        case .style: PackageResources.style_css
        case .icons: PackageResources.icons_svg
        case .icon: PackageResources.icon_svg
        case .signIn: PackageResources.signin_js
        case .copy: PackageResources.copy_js
        case .list: PackageResources.list_js
        case .back: PackageResources.back_js
        }
    }
}
