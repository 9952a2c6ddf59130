import KithCards

/// A picture of a contact.
public struct ContactPhoto: Hashable, Sendable {
    /// The bytes of the picture, as the card contains them.
    public let bytes: [UInt8]
    /// The media type (RFC 2046), such as `image/jpeg`; nil if the card does not name it.
    public let mediaType: String?
}

extension Card.Resource {
    var isEmbeddedPhoto: Bool {
        guard kind == .photo, case .embedded = content else { return false }
        return true
    }
}
