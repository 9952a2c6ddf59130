/// A replica's read position in its feeds. Opaque to the device.
package struct SyncToken: RawRepresentable, Hashable, Sendable, Codable {
    /// The server's text of the token.
    package let rawValue: String

    /// Creates a token from the server's text.
    package init(rawValue: String) { self.rawValue = rawValue }
}
