import KithModel
import TextEncodings

/// The name of a file in a folder, as bytes.
///
/// A `String` would not do: it replaces invalid UTF-8, and it compares composed and decomposed letters as equal,
/// although they are the names of two files.
struct FileName: Hashable, Sendable {
    /// Not empty, and without slashes and zeros.
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The name to show. Invalid UTF-8 becomes `�`.
    var shown: String { String(decoding: bytes, as: UTF8.self) }

    /// The path of the file as a C string.
    func path(in folder: String) -> [CChar] {
        (Array(folder.utf8) + [UInt8(ascii: "/")] + bytes + [0]).map { CChar(bitPattern: $0) }
    }

    /// Whether the file contains cards. Hidden and temporary files do not, nor do `displayname` and `color`, which hold
    /// the name and the colour of a vdir.
    var holdsCards: Bool {
        bytes.first != UInt8(ascii: ".") && bytes.count > 4
            && bytes.suffix(4).map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
                == Array(".vcf".utf8)
    }
}

extension FileName: Comparable {
    static func < (left: FileName, right: FileName) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

/// References to files. A reference is the file's name if that is valid UTF-8 and unique as text; otherwise a slash and
/// the percent-encoded bytes of the name. For a file with several cards, another slash and the card's key follow. A
/// file name itself never contains a slash.
extension FileName {
    /// Separates the file from the card in a reference to one of several cards.
    static let separator = "/"

    /// The prefix of references to the file. `isTaken` says that another file's name is equal as text.
    func reference(isTaken: Bool) -> String {
        if !isTaken, let text = String(validating: bytes, as: UTF8.self) { return text }
        let escaped = bytes.flatMap { Self.isPlain($0) ? [$0] : HexCodes.percent.code(of: $0) }
        return "/" + String(decoding: escaped, as: UTF8.self)
    }

    /// The file of a reference, and the prefix of its references; nil if it cannot be the reference of a file.
    static func file(of reference: CardReference) -> (name: FileName, start: String)? {
        let text = reference.name.utf8
        let isEncoded = text.first == UInt8(ascii: "/")
        let name = text.dropFirst(isEncoded ? 1 : 0).prefix { $0 != UInt8(ascii: "/") }
        guard let bytes = isEncoded ? HexCodes.percent.decoded(strictly: ArraySlice(name)) : Array(name),
            !bytes.isEmpty, !bytes.contains(0), !bytes.contains(UInt8(ascii: "/"))
        else { return nil }
        return (FileName(bytes), String(reference.name[..<name.endIndex]))
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "-_.".utf8.contains(byte) }
}
