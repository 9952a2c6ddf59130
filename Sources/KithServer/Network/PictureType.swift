package import Foundation

/// The kinds of pictures that are taken: those that every system and browser shows. A client makes one of them of any
/// other, as it makes the two sizes.
package enum PictureType: String, CaseIterable, Sendable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case webp = "image/webp"

    /// The kind that the first bytes tell; nil for any other. Nothing behind them is looked at: what a stranger sent is
    /// not decoded here.
    package init?(of bytes: Data) {
        let head = Array(bytes.prefix(12))
        if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if head.starts(with: "RIFF".utf8), head.dropFirst(8).elementsEqual("WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}
