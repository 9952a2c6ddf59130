public import Foundation

/// The location of a source.
public enum SourceLocation: Hashable, Sendable {
    /// A file of vCards, as programs export them.
    case vCardFile(URL)
    /// A folder with one vCard in each file: a vdir, as vdirsyncer and khard use it.
    case folder(URL)
    /// A CardDAV account (RFC 6352), with Basic or Digest authentication. Its password is stored with the session
    /// tokens, in the `CredentialStore`.
    ///
    /// - Parameters:
    ///   - url: The server's address, or that of one address book.
    ///   - user: The name to sign in with.
    ///   - withoutTLS: Whether the password may be sent unencrypted, over `http`. Within this device it always may be.
    case cardDAV(URL, user: String, withoutTLS: Bool = false)
    /// The device's own address book, on Apple platforms.
    case device
}

extension SourceLocation {
    /// Whether both are the same place, judged by the address alone. Different spellings of an account's address are
    /// equal.
    package func isSamePlace(as other: Self) -> Bool {
        switch (standardized, other.standardized) {
        case (.cardDAV(let url, let user, _), .cardDAV(let otherURL, let otherUser, _)):
            user == otherUser && url.comparable == otherURL.comparable
        case (let one, let other): one == other
        }
    }

    /// The same place in a uniform spelling: an absolute path, so that it does not depend on the working folder.
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
    /// The parts of an address that decide whether two lead to the same place of a server: scheme, host, port and path.
    ///
    /// A slash at the end makes no difference, the well-known address equals the bare one, and the names of this device
    /// are equal.
    var comparable: [String] {
        let scheme = scheme?.lowercased() ?? ""
        let path = canonicalPath.split(separator: "/").joined(separator: "/")
        return [
            scheme, comparableHost, String(port ?? (scheme == "http" ? 80 : 443)),
            path == ".well-known/carddav" ? "" : path,
        ]
    }

    /// The host in lowercase; `localhost` for every name of this device.
    var comparableHost: String { PasswordTrust.isLoopback(self) ? "localhost" : host()?.lowercased() ?? "" }
}

extension SourceLocation {
    /// The default name of a source.
    var name: String {
        switch self {
        case .vCardFile(let url): url.deletingPathExtension().lastPathComponent
        case .folder(let url): url.lastPathComponent
        case .cardDAV(let url, let user, _): url.host().map { "\(user) at \($0)" } ?? user
        case .device: "Contacts"
        }
    }
}
