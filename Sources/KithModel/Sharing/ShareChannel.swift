/// How something is shared.
public struct ShareChannel: RawRepresentable, Hashable, Sendable, Codable, CodingKeyRepresentable {
    /// The name: 1 to 32 of a-z, 0-9 and hyphens.
    public let rawValue: String

    /// Creates a channel; nil if the name is not permitted.
    public init?(rawValue: String) {
        // Bytes are faster than a regular expression. The funnel reads a channel in each of its rows.
        let (bytes, hyphen) = (rawValue.utf8, UInt8(ascii: "-"))
        let arePermitted = bytes.allSatisfy { $0 == hyphen || $0.isDigit || Self.letters.contains($0) }
        guard (1...32).contains(bytes.count), arePermitted, bytes.first != hyphen else { return nil }
        self.rawValue = rawValue
    }

    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")

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
