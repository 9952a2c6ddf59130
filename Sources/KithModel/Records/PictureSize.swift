/// One of the two sizes of a profile's picture. The app creates both, because Kith does not decode images.
public enum PictureSize: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    /// For a list: at most ``Limits/smallPicture`` bytes.
    case small
    /// For a page: at most ``Limits/largePicture`` bytes.
    case large

    /// The size's name.
    public var description: String { rawValue }

    /// The maximum number of bytes of a picture of this size.
    package var limit: Int { self == .small ? Limits.smallPicture : Limits.largePicture }

    /// The profile's field with the SHA-256 hash of this size.
    package var field: String { self == .small ? "pictureSmall" : "pictureLarge" }

    /// The picture's hash in hexadecimal digits; nil if there is no picture.
    package func hash(in picture: Profile.Picture?) -> String? { self == .small ? picture?.small : picture?.large }
}
