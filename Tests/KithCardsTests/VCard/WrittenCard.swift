import Foundation
import KithCards
import Testing

/// Cards as tests write them down.
enum WrittenCard {
    /// A card of these lines between BEGIN and END, each ended by `lineEnd`.
    static func bytes(_ lines: String..., lineEnd: String = "\r\n") -> [UInt8] {
        (["BEGIN:VCARD"] + lines + ["END:VCARD"]).flatMap { ($0 + lineEnd).utf8 }
    }

    /// Reads a card of these lines.
    static func read(_ lines: String..., lineEnd: String = "\r\n") throws -> VCard {
        try VCard((["BEGIN:VCARD"] + lines + ["END:VCARD"]).flatMap { ($0 + lineEnd).utf8 })
    }
}

extension VCard {
    /// The first property of this name.
    subscript(name: String) -> Property {
        get throws { try #require(properties.first { $0.name == name }, "There is no \(name).") }
    }
}

/// The vCard files of other programs and of this project.
struct CardFile: CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]

    var testDescription: String { name }

    /// Exports of other programs; none where there are no corpora.
    static let corpus = files(in: Corpora.folder.appending(path: "vcard"))
    /// The samples that the project ships.
    static let samples = files(in: Corpora.project.appending(path: "Samples"))
    /// What the fuzzer has found.
    static let found = files(in: Corpora.project.appending(path: "Tests/Fuzz/Found"), anyKind: true)

    private static func files(in folder: URL, anyKind: Bool = false) -> [CardFile] {
        let paths = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false))?.allObjects ?? []
        return paths.compactMap { $0 as? String }.filter { anyKind || $0.hasSuffix(".vcf") }.sorted().compactMap {
            path in
            guard let data = try? Data(contentsOf: folder.appending(path: path)) else { return nil }
            return CardFile(name: path, bytes: [UInt8](data))
        }
    }
}
