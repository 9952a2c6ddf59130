public import Foundation

/// Where a source of the address book is.
public enum SourceLocation: Hashable, Codable, Sendable {
    /// A file of vCards, as programs export them.
    case vCardFile(URL)
    /// A folder of vCards, one to a file: a vdir, as vdirsyncer and khard keep it.
    case folder(URL)
    /// A CardDAV account (RFC 6352). The password is kept with the tokens, in the ``CredentialStore``.
    ///
    /// - Parameters:
    ///   - url: The server's address, or that of one address book.
    ///   - user: The name to sign in with.
    ///   - withoutTLS: Whether the password may travel unencrypted, over `http`. To this device itself it always may.
    case cardDAV(URL, user: String, withoutTLS: Bool = false)
    /// The device's own address book, on Apple's systems.
    case device
}
