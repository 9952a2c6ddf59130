import KithModel

/// The name of a file in a folder, as the bytes by which the system knows it.
///
/// A text would not do: it repairs what is no UTF-8, and composed and decomposed letters make the same text, but the names
/// of two files.
struct FileName: Hashable, Sendable {
    /// Neither empty nor with a slash or a zero in them.
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The name as people read it; what is no UTF-8 is shown as `�`.
    var shown: String { String(decoding: bytes, as: UTF8.self) }

    /// Where the file is, as the system is told it.
    func path(in folder: String) -> [CChar] {
        (Array(folder.utf8) + [UInt8(ascii: "/")] + bytes + [0]).map { CChar(bitPattern: $0) }
    }

    /// Whether a file of this name holds cards. What is hidden or temporary does not; nor do `displayname` and `color`,
    /// in which a vdir keeps its name and colour.
    var holdsCards: Bool {
        bytes.first != UInt8(ascii: ".") && bytes.count > 4
            && bytes.suffix(4).map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
                == Array(".vcf".utf8)
    }
}

extension FileName: Comparable {
    static func < (left: FileName, right: FileName) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

/// How references lead to files: by the name, where that is a text of its own; else by a slash and the name's bytes in
/// percent-encoding. Behind another slash comes which of several cards it is. No file's name has a slash.
extension FileName {
    /// Leads from a file that holds several cards to one of them.
    static let separator = "/"

    /// What references to the file begin with; `isTaken` says that another name is the same as a text.
    func reference(isTaken: Bool) -> String {
        if !isTaken, let text = String(validating: bytes, as: UTF8.self) { return text }
        return "/" + bytes.map { Self.isPlain($0) ? String(UnicodeScalar($0)) : Self.escaped($0) }.joined()
    }

    /// The file that a reference leads to, and what its references begin with; nil if it can be none.
    static func file(of reference: CardReference) -> (name: FileName, start: String)? {
        let text = reference.name.utf8
        let isEncoded = text.first == UInt8(ascii: "/")
        let name = text.dropFirst(isEncoded ? 1 : 0).prefix { $0 != UInt8(ascii: "/") }
        guard let bytes = isEncoded ? decoded(name) : Array(name), !bytes.isEmpty,
            !bytes.contains(0), !bytes.contains(UInt8(ascii: "/"))
        else { return nil }
        return (FileName(bytes), String(reference.name[..<name.endIndex]))
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "-_.".utf8.contains(byte) }

    private static func escaped(_ byte: UInt8) -> String {
        (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }

    private static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
