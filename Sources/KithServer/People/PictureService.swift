package import Foundation
package import KithModel

/// Stores people's pictures, and shows them to those who may see them.
package struct PictureService: Sendable {
    private let database: any Database

    /// A service over `database`.
    package init(database: any Database) {
        self.database = database
    }

    /// Stores a picture of an account, so that its profile can name it.
    ///
    /// - Parameters:
    ///   - bytes: The picture, at most ``Limits/largePicture``.
    ///   - type: The type that the sender declares.
    ///   - hash: Its SHA-256.
    ///   - account: The owner of the picture.
    ///   - now: The server's time.
    /// - Throws: ``ServerError`` with the code `tooLarge`, `unsupportedType` or `malformed`; then nothing has changed.
    package func put(
        _ bytes: Data, _ type: PictureType, hash: Data, of account: AccountID, at now: Timestamp
    ) async throws {
        if bytes.count > Limits.largePicture { throw ServerError.pictureTooLarge }
        guard PictureType(bytes) == type else {
            throw ServerError(
                .unsupportedType,
                "The body does not begin as \(type.rawValue) does. Send the picture as it is, and say what it is.")
        }
        guard Secret.sha256(bytes) == hash else {
            throw ServerError(
                .malformed, "The body's SHA-256 is not the one in the path. It may have been damaged: send it again.",
                path: "$")
        }
        let picture = Pictures.Picture(type: type, bytes: bytes)
        try await database.write { transaction in
            try Pictures.put(picture, hash: hash, of: account, at: now, in: transaction)
        }
    }

    /// The picture of `account` in one of its sizes, with its hash.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is no picture, or if `viewer` may not see it.
    package func picture(
        _ size: PictureSize, of account: AccountID, to viewer: AccountID
    ) async throws -> (picture: Pictures.Picture, hash: String) {
        try await database.read { transaction in
            let shown = try ProfileViewing(transaction).shown(of: account, to: viewer)
            guard let hash = shown?.fields[size.field]?.text, let bytes = Hex.bytes(hash),
                let picture = try Pictures.find(bytes, of: account, in: transaction)
            else { throw ServerError(.notFound, "There is no such picture, or you may not see it.") }
            return (picture, hash)
        }
    }
}

extension ServerError {
    static let pictureTooLarge = ServerError(
        .tooLarge, "The picture is larger than \(Limits.largePicture / 1024) KiB. Make it smaller.")
}
