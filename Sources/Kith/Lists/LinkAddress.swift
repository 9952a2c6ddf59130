package import Foundation

/// What a link says: its secret and, if it is a whole link, its server.
package struct LinkAddress: Hashable, Sendable {
    /// Where the link's server is; nil if the text is the secret alone.
    package let base: URL?
    /// The last part of the link's path that is not empty. Everything that could mean something else in a path is dropped.
    let secret: String

    /// - Parameter link: The whole link, or the secret at its end.
    package init(_ link: String) {
        let path = link.split(whereSeparator: { "?#".contains($0) }).first ?? ""
        let last = path.split(separator: "/").last ?? ""
        secret = String(last.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        let start = path.range(of: "/v1/", options: .backwards)?.lowerBound
        base = start.flatMap { URL(string: String(path[..<$0])) }.flatMap {
            ["http", "https"].contains($0.scheme?.lowercased()) && $0.host() != nil ? $0 : nil
        }
    }
}
