import KithModel

/// Where a server's database is: the path of a SQLite file, or the URL of a PostgreSQL database.
///
/// A URL can have a password. ``description`` has none, so messages and logs show it instead of the URL.
package enum DatabaseAddress: Hashable, Sendable {
    case file(String)
    case postgres(url: String)

    /// Reads what the operator has written.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` if it is the URL of something else. The error does not
    ///   contain the URL.
    package init(_ text: String) throws {
        if !Self.isURL(text) {
            self = .file(text)
        } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            self = .postgres(url: text)
        } else {
            throw ServerError(
                .malformed, "The database is neither the path of a file nor a URL that begins with postgres://.")
        }
    }

    /// Whether a text is a URL, and no path.
    package static func isURL(_ text: String) -> Bool { text.contains("://") }

    /// The part of a URL with the hosts and the name of the database.
    ///
    /// It is nil if an unescaped `@`, `/` or `?` seems to belong to the password. libpq would then take a part of the
    /// password for a host or a port, and name it in its errors.
    static func place(in url: String) -> Substring? {
        guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
        let rest = url[start...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let hosts = parts.last, !rest[authority.endIndex...].contains("@") else { return nil }
        return rest[hosts.startIndex...].prefix { $0 != "?" }
    }
}

extension DatabaseAddress: CustomStringConvertible {
    /// The path, or the URL without user, password and options.
    package var description: String {
        switch self {
        case .file(let path): path
        case .postgres(let url): "postgres://\(Self.place(in: url) ?? "…")"
        }
    }
}

extension DatabaseAddress: CustomReflectable {
    /// Only the description, so that a dump shows no password.
    package var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}
