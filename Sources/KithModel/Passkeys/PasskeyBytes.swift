public import Foundation

/// Bytes that WebAuthn's JSON writes in Base64url without padding (WebAuthn Level 3, section 5.1).
public struct PasskeyBytes: Hashable, Sendable {
    /// The bytes.
    public let data: Data

    /// Creates a value of these bytes.
    public init(_ data: Data) { self.data = data }
}

extension PasskeyBytes: TextCodable {
    /// Decodes Base64url; nil if the text is not valid.
    public init?(_ text: String) {
        guard let data = Data(base64URL: text) else { return nil }
        self.data = data
    }

    /// The bytes in Base64url.
    public var description: String { data.base64URL }

    package static var refusal: String { "is not Base64url without padding" }
}
