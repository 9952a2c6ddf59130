package import Foundation
package import KithModel

/// The picture of a programme, which the pages of its share links and their previews show.
package struct ProgrammePicture: Hashable, Sendable {
    /// The size of the largest picture, in bytes.
    package static let size = 512 * 1024

    package let type: PictureType
    package let bytes: Data

    /// A picture as its file has it.
    ///
    /// - Throws: ``ServerError``: `tooLarge`, or `unsupportedType` if it is not JPEG, PNG or WebP.
    package init(_ bytes: Data) throws(ServerError) {
        guard bytes.count <= Self.size else {
            throw ServerError(.tooLarge, "The picture has more than \(Self.size / 1024) KiB. Make it smaller.")
        }
        guard let type = PictureType(bytes) else {
            throw ServerError(.unsupportedType, "The picture is neither JPEG nor PNG nor WebP.")
        }
        (self.type, self.bytes) = (type, bytes)
    }

    private init(_ type: PictureType, _ bytes: Data) { (self.type, self.bytes) = (type, bytes) }

    /// A short text that differs for other bytes.
    package var version: String { Secret.sha256(bytes).prefix(9).base64URL }

    /// The picture of a programme; nil if it has none.
    static func find(_ programme: String, in transaction: any Transaction) throws -> ProgrammePicture? {
        try transaction.query("SELECT type, bytes FROM programme_picture WHERE programme = ?", [.text(programme)]).first
            .flatMap { row in
                let bytes = try row.bytes(1)
                return PictureType(rawValue: try row.text(0)).map { ProgrammePicture($0, bytes) }
            }
    }

    /// The version of the picture of a programme; nil if it has none.
    static func version(of programme: String, in transaction: any Transaction) throws -> String? {
        try transaction.query("SELECT version FROM programme_picture WHERE programme = ?", [.text(programme)]).first?
            .text(0)
    }

    /// Stores the picture of a programme instead of an earlier one.
    func write(to programme: String, in transaction: any Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO programme_picture (programme, version, type, bytes) VALUES (?, ?, ?, ?)
            ON CONFLICT (programme) DO UPDATE
            SET version = excluded.version, type = excluded.type, bytes = excluded.bytes
            """, [.text(programme), .text(version), .text(type.rawValue), .bytes(bytes)])
    }

    /// Removes the picture of a programme.
    static func remove(of programme: String, in transaction: any Transaction) throws {
        try transaction.execute("DELETE FROM programme_picture WHERE programme = ?", [.text(programme)])
    }
}
