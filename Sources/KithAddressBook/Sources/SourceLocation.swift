public import Foundation
package import GRDB
package import Kith

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
    /// The source at this location.
    ///
    /// - Parameters:
    ///   - id: The id of the source. Its cards and its password are stored under it.
    ///   - database: The database for the cards of an account. It has the tables of ``AddressBookSchema``.
    ///   - credentials: The store of its password.
    ///   - pace: How often an account is polled.
    ///   - isOffline: Whether to read accounts only from their cache on the device.
    ///   - clock: The clock for polling.
    /// - Returns: A source that has read nothing yet.
    /// - Throws: ``KithError``: `invalid` if the address is not a server's, `refused` if the password would be sent
    ///   unencrypted, `unauthorized` if there is no password.
    package func open(
        id: String, database: any DatabaseWriter, credentials: any CredentialStore, pace: PollingInterval,
        isOffline: Bool = false, clock: any Clock<Duration> = ContinuousClock()
    ) throws -> any AddressBookSource {
        switch self {
        case .vCardFile(let url): return VCardFileSource(url)
        case .folder(let url): return VCardFolderSource(url)
        case .cardDAV(let url, let user, let withoutTLS):
            try check(PasswordTrust(address: url, withoutTLS: withoutTLS))
            guard let password = try credentials.secret(for: .source(id)) else {
                throw KithError(
                    .unauthorized, "There is no password for “\(user)” at \(url.absoluteString). Add the account again."
                )
            }
            return CardDAVSource(
                at: url, user: user, password: password, withoutTLS: withoutTLS, id: id, database: database,
                transport: SystemDAVTransport(), clock: clock, pace: pace, isOffline: isOffline)
        case .device:
            #if canImport(Contacts)
                return DeviceSource()
            #else
                throw KithError(
                    .invalid, "This system has no address book of its own. Add a file, a folder or an account.")
            #endif
        }
    }

    /// Removes the stored data of the source: its cards and its password.
    package static func forget(
        id: String, database: any DatabaseWriter, credentials: any CredentialStore
    ) async throws {
        try await CardCache(database: BookDatabase(writer: database), source: id).forget()
        try credentials.delete(.source(id))
    }

    /// - Throws: ``KithError``: `invalid` if the address is not a server's, `refused` if the password may not go there.
    private func check(_ trust: PasswordTrust) throws {
        let address = trust.address.absoluteString
        switch trust.refusal {
        case nil, .otherHost, .otherPort: return
        case .noAddress:
            throw KithError(.invalid, "“\(address)” is no address of a server, such as https://dav.example.com.")
        case .signedIn:
            // It would be stored unencrypted, as part of the address.
            throw KithError(.invalid, "Give the name and the password by themselves, not within the address.")
        case .unencrypted:
            throw KithError(
                .refused,
                "\(address) is not encrypted, and everyone on the way could read the password. Use https, or say that "
                    + "the account is to be read without TLS.")
        }
    }
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
    /// A slash at the end makes no difference, and the well-known address equals the bare one.
    var comparable: [String] {
        let scheme = scheme?.lowercased() ?? ""
        let path = canonicalPath.split(separator: "/").joined(separator: "/")
        return [
            scheme, host()?.lowercased() ?? "", String(port ?? (scheme == "http" ? 80 : 443)),
            path == ".well-known/carddav" ? "" : path,
        ]
    }
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
