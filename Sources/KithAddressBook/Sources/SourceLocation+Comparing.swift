import Foundation

extension AddressBook.SourceLocation {
    /// Whether both are one place, as far as their addresses tell: an account is the same by each spelling of its address.
    package func isSamePlace(as other: Self) -> Bool {
        switch (standardized, other.standardized) {
        case (.cardDAV(let url, let user, _), .cardDAV(let otherURL, let otherUser, _)):
            user == otherUser && url.comparable == otherURL.comparable
        case (let one, let other): one == other
        }
    }

    /// The same place, written in one manner: absolute, so that it is found again from another working folder.
    var standardized: Self {
        switch self {
        case .vCardFile(let url):
            .vCardFile(URL(filePath: url.standardizedFileURL.path(percentEncoded: false), directoryHint: .notDirectory))
        case .folder(let url):
            .folder(URL(filePath: url.standardizedFileURL.path(percentEncoded: false), directoryHint: .isDirectory))
        case .cardDAV(let url, let user, let withoutTLS): .cardDAV(url.absoluteURL, user: user, withoutTLS: withoutTLS)
        case .device: .device
        }
    }
}

extension URL {
    /// What is equal for addresses that lead to one place of a server: scheme, host, port, and path.
    ///
    /// A slash at the end makes no other place, and neither does the address that only leads to the account.
    var comparable: [String] {
        let scheme = scheme?.lowercased() ?? ""
        let path = canonicalPath.split(separator: "/").joined(separator: "/")
        return [
            scheme, host()?.lowercased() ?? "", String(port ?? (scheme == "http" ? 80 : 443)),
            path == ".well-known/carddav" ? "" : path,
        ]
    }
}
