import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

@Suite("Editing cards in files", .timeLimit(.minutes(15))) struct CardRewritingTests {
    private let folder = TemporaryFolder()
    private var url: URL { folder.url.appending(path: "contacts.vcf") }

    private func text(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }

    /// Saves a card with another number.
    private func save(_ number: String, of name: String, in source: any AddressBookSource) async throws -> SavedCard {
        let reference = try await source.contents().reference(name)
        let original = try await source.vCard(reference)
        return try await source.save(
            original.with { $0.phones[0].number = number }, editedFrom: original, as: reference)
    }

    private func remove(_ name: String, in source: any AddressBookSource) async throws {
        let reference = try await source.contents().reference(name)
        #expect(try await source.remove(source.vCard(reference), as: reference))
    }

    @Test("Only the property's bytes change, not those between cards or in unreadable cards")
    func untouched() async throws {
        let ada =
            "BEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=84da\r\nTEL;CELL:1\r\nEND:VCARD\r\n"
        let rest =
            "\r\n# a comment\r\nBEGIN:VCARD\nVERSION:3.0\nFN:Grace\nX-LONG:a\n b\nEND:VCARD\n\n\nBEGIN:VCARD\nFN:\n"
        try Data((ada + rest).utf8).write(to: url)
        _ = try await save("2", of: "Äda", in: VCardFileSource(url))
        #expect(try text(url) == ada.replacing("CELL:1", with: "CELL:2") + rest)
    }

    @Test("The file keeps its mode, a link stays a link, and no temporary file remains", arguments: [true, false])
    func keepsTheFile(isFile: Bool) async throws {
        let files = FileManager.default
        let target = folder.url.appending(path: "real", directoryHint: .isDirectory)
        let book = folder.url.appending(path: "book", directoryHint: .isDirectory)
        for folder in [target, book] { try files.createDirectory(at: folder, withIntermediateDirectories: true) }
        let real = target.appending(path: "ada.vcf")
        let link = book.appending(path: "ada.vcf")
        try Data(card("Ada", uid: "a", "TEL:1")).write(to: real)
        try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real.path)
        try files.createSymbolicLink(at: link, withDestinationURL: real)
        let source: any AddressBookSource = isFile ? VCardFileSource(link) : VCardFolderSource(book)
        _ = try await save("2", of: "Ada", in: source)
        #expect(try text(real).contains("TEL:2"))
        #expect(try files.attributesOfItem(atPath: real.path)[.posixPermissions] as? Int == 0o640)
        #expect(try files.destinationOfSymbolicLink(atPath: link.path) == real.path)
        #expect(try files.contentsOfDirectory(atPath: target.path) == ["ada.vcf"])
        #expect(try files.contentsOfDirectory(atPath: book.path) == ["ada.vcf"])
    }

    @Test("A read-only file is left unchanged, and the error says so")
    func notWritable() async throws {
        guard getuid() != 0 else { return }
        try Data(card("Ada", uid: "a", "TEL:1")).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: url.path)
        #expect(await code { _ = try await save("2", of: "Ada", in: VCardFileSource(url)) } == .forbidden)
        #expect(try text(url).contains("TEL:1"))
    }

    @Test("A card in a file with several is edited and removed, and the file is deleted with its last card")
    func several() async throws {
        let book = folder.url.appending(path: "book", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: book, withIntermediateDirectories: true)
        let file = book.appending(path: "both.vcf")
        try Data(card("Ada", uid: "a", "TEL:1") + card("Grace", uid: "g", "TEL:1")).write(to: file)
        let source = VCardFolderSource(book)
        _ = try await save("2", of: "Grace", in: source)
        #expect(
            try text(file)
                == String(decoding: card("Ada", uid: "a", "TEL:1") + card("Grace", uid: "g", "TEL:2"), as: UTF8.self))
        try await remove("Ada", in: source)
        #expect(try text(file) == String(decoding: card("Grace", uid: "g", "TEL:2"), as: UTF8.self))
        try await remove("Grace", in: source)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("A file is empty after the removal of its last card, and takes new cards") func emptied() async throws {
        try Data(card("Ada", uid: "a")).write(to: url)
        let source = VCardFileSource(url)
        try await remove("Ada", in: source)
        #expect(try text(url) == "")
        #expect(try await source.add([VCard(card("Grace", uid: "g"))]).references.count == 1)
    }

    @Test("A card in UTF-16 is edited in UTF-16") func utf16() async throws {
        let text = String(decoding: card("Ada", uid: "a", "TEL:1") + card("Grace", uid: "g", "TEL:1"), as: UTF8.self)
        try #require(text.data(using: .utf16)).write(to: url)
        let source = VCardFileSource(url)
        for name in ["Ada", "Grace"] { _ = try await save("2", of: name, in: source) }
        let edited = try #require(String(data: Data(contentsOf: url), encoding: .utf16))
        #expect(edited == text.replacing("TEL:1", with: "TEL:2"))
    }

    @Test("Removing the first card of a file in UTF-16 keeps the byte order mark") func removedInUTF16() async throws {
        let text = String(decoding: card("Ada", uid: "a") + card("Grace", uid: "g"), as: UTF8.self)
        try #require(text.data(using: .utf16)).write(to: url)
        let source = VCardFileSource(url)
        let reference = try await source.contents().reference("Ada")
        _ = try await source.remove(try await source.vCard(reference), as: reference)
        let rest = String(decoding: card("Grace", uid: "g"), as: UTF8.self)
        #expect(try Data(contentsOf: url) == rest.data(using: .utf16))
        #expect(try await VCardFileSource(url).contents().names == ["Grace"])
    }

    @Test("An edit that would include the next card is refused, and nothing is written") func refused() async throws {
        let bytes = Data(card("Ada", uid: "a") + card("Grace", uid: "g"))
        try bytes.write(to: url)
        let source = VCardFileSource(url)
        let reference = try await source.contents().reference("Ada")
        let original = try await source.vCard(reference)
        // Without END, an AGENT without a value takes the next card as its value.
        let open = try VCard(Array("BEGIN:VCARD\r\nVERSION:2.1\r\nUID:a\r\nN:Lovelace;Ada\r\nAGENT:\r\n".utf8))
        let told = await code { _ = try await source.save(open, editedFrom: original, as: reference) }
        #expect(told == .refused)
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test("An edit of the name of a card without a uid returns the card's new reference") func renamed() async throws {
        try Data(card("Ada", uid: nil, "TEL:1") + card("Grace", uid: nil, "TEL:1")).write(to: url)
        let source = VCardFileSource(url)
        let reference = try await source.contents().reference("Grace")
        let original = try await source.vCard(reference)
        let saved = try await source.save(
            original.with { $0.name.full = "Grace Hopper" }, editedFrom: original, as: reference)
        #expect(try await saved.reference == source.contents().reference("Grace Hopper"))
        #expect(saved.reference != reference)
    }
}
