import Foundation

/// A link with a share code: `https://kith.example.com/s/ADA-TEA`, or `kith://s/ADA-TEA` to open the app.
///
/// The type is not public, because SwiftUI has a view with this name. Apps read a link with ``ShareCode/init(link:)``.
package struct ShareLink: Hashable, Sendable {
    /// The code.
    package let code: ShareCode
    /// How the link was shared, for the funnel; nil if it does not say so.
    package let channel: ShareChannel?

    package init(_ code: ShareCode, channel: ShareChannel? = nil) { (self.code, self.channel) = (code, channel) }

    /// Reads a link in any form, also without `https://`; nil if the text is not a link with a share code.
    package init?(_ text: String) {
        var rest = Substring(text.trimmingCharacters(in: .whitespacesAndNewlines))
        guard rest.utf8.count <= 2_000 else { return nil }
        if let scheme = rest.range(of: "://") {
            guard ["http", "https", "kith"].contains(rest[..<scheme.lowerBound].lowercased()) else { return nil }
            rest = rest[scheme.upperBound...]
        }
        let path = rest.prefix { !"?#".contains($0) }
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.count >= 2, parts[parts.count - 2] == "s",
            let typed = parts.last.flatMap({ String($0).removingPercentEncoding }), let code = try? ShareCode(typed)
        else { return nil }
        let query = rest.dropFirst(path.count).prefix { $0 != "#" }.dropFirst()
        self.code = code
        channel =
            query.split(separator: "&").lazy.compactMap { pair in
                pair.hasPrefix("c=") ? ShareChannel(rawValue: String(pair.dropFirst(2))) : nil
            }.first
    }

    /// The link below the address of a server.
    package func address(server: String) -> String {
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        return "\(base)/s/\(code.text)" + (channel.map { "?c=\($0.rawValue)" } ?? "")
    }
}

extension ShareCode {
    /// Reads a code that was typed, or a link with a code, such as `https://kith.example.com/s/ADA-TEA`.
    ///
    /// - Throws: ``Fault/illegalCharacter(_:)`` or ``Fault/outOfRange(_:)``.
    public init(link: String) throws(Fault) {
        if let link = ShareLink(link) {
            self = link.code
        } else {
            try self.init(link.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
