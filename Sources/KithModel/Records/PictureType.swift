/// The formats of profile pictures. Every browser can show them.
package enum PictureType: String, CaseIterable, Sendable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case webP = "image/webp"

    /// Detects the format from the first bytes and ignores the declared type; nil if it is none of these. The rest of
    /// the picture is not examined, because decoding data from strangers is a risk.
    ///
    /// Source: ISO/IEC 10918-1, annex B; PNG (Third Edition), section 5.2; RFC 9649, section 2.4.
    package init?(_ bytes: some Collection<UInt8>) {
        let start = Array(bytes.prefix(12))
        if start.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if start.count == 12, start.starts(with: Array("RIFF".utf8)),
            start.dropFirst(8).elementsEqual("WEBP".utf8)
        {
            self = .webP
        } else {
            return nil
        }
    }
}
