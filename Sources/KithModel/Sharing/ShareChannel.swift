/// How something is shared.
public struct ShareChannel: RawRepresentable, Hashable, Sendable, Codable, CodingKeyRepresentable {
    /// The name: 1 to 32 of a-z, 0-9 and hyphens.
    public let rawValue: String

    /// Creates a channel; nil if the name is not permitted.
    public init?(rawValue: String) {
        guard rawValue.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,31}/) != nil else { return nil }
        self.rawValue = rawValue
    }

    private init(standard: String) { rawValue = standard }

    /// An email that the server sends.
    public static let email = ShareChannel(standard: "email")
    /// The device's message sheet.
    public static let message = ShareChannel(standard: "message")
    /// The device's share sheet.
    public static let sheet = ShareChannel(standard: "sheet")
    /// The link or the code, copied.
    public static let link = ShareChannel(standard: "link")
    /// The QR code, scanned by somebody who stands nearby.
    public static let scan = ShareChannel(standard: "scan")
}
