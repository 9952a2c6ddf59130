import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

/// What the names of files may be made of.
@Suite("The names of files in a folder of vCards", .timeLimit(.minutes(15))) struct VCardFolderNameTests {
    private let folder = TemporaryFolder()

    /// A source to which every file looks old.
    private func source() -> VCardFolderSource { VCardFolderSource(folder.url, now: { .distantFuture }) }

    /// Writes a file whose name is these bytes.
    private func write(_ name: [UInt8], _ bytes: [UInt8]) throws {
        let path = Array(folder.url.path.utf8) + Array("/".utf8) + name
        let file = try #require(fopen(path.map { CChar(bitPattern: $0) } + [0], "w"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        fclose(file)
    }

    private func checkReferences(_ contents: SourceContents) async throws {
        #expect(Set(contents.entries.map(\.reference)).count == contents.entries.count)
        for source in [source(), VCardFolderSource(folder.url)] {
            for entry in contents.entries { #expect(Card(try await source.vCard(entry.reference)) == entry.card) }
        }
    }

    #if os(Linux)
        @Test("Trap: Zoë is composed in one name and decomposed in another – both files are read") func composed()
            async throws
        {
            try write(Array("Zo\u{EB}.vcf".utf8), card("Composed", uid: "1"))
            try write(Array("Zoe\u{308}.vcf".utf8), card("Decomposed", uid: "2") + card("Again", uid: "3"))
            let contents = try await source().contents()
            #expect(contents.names == ["Again", "Composed", "Decomposed"])
            #expect(contents.faults == [])
            try await checkReferences(contents)
        }

        @Test("Trap: a name is in Latin-1 – the file is read, and its references lead to it") func latin1() async throws
        {
            try write(Array("Zo".utf8) + [0xEB] + Array(".vcf".utf8), card("Zoë", uid: "1"))
            try write(Array("M".utf8) + [0xFC] + Array(".vcf".utf8), card("Mü", uid: "2") + card("Mö", uid: "3"))
            try write(Array("%EB.vcf".utf8), card("Percent", uid: "4"))
            let contents = try await source().contents()
            #expect(contents.names == ["Mö", "Mü", "Percent", "Zoë"])
            #expect(contents.faults == [])
            #expect(try contents.reference("Zoë") == CardReference("/Zo%EB.vcf"))
            #expect(try contents.reference("Percent") == CardReference("%EB.vcf"))
            try await checkReferences(contents)
        }
    #endif

    @Test("A name that is a text is the reference, also when it is decomposed") func plain() async throws {
        try write(Array("Zoe\u{308}.vcf".utf8), card("Zoë", uid: "1"))
        let name = try await source().contents().reference("Zoë").name
        #expect(Array(name.utf8) == Array("Zoe\u{308}.vcf".utf8))
    }

    @Test(
        "An encoded reference cannot lead to a file outside of the folder, either",
        arguments: ["/%2e%2e%2Fo.vcf", "/%", "/%00.vcf"])
    func noWayOut(name: String) async throws {
        try write(Array("ada.vcf".utf8), card("Ada", uid: "a"))
        #expect(await code { _ = try await source().vCard(CardReference(name)) } == .notFound)
    }

    @Test("Trap: a broken link – it is a fault, because its contacts are missing") func dangling() async throws {
        try write(Array("ada.vcf".utf8), card("Ada", uid: "a"))
        for (name, target) in [("gone.vcf", "nowhere/x.vcf"), ("loop.vcf", "loop.vcf")] {
            let link = folder.url.appending(path: name).path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        }
        let source = source()
        let contents = try await source.contents()
        #expect(contents.names == ["Ada"])
        #expect(contents.faults.map(\.name) == ["gone.vcf", "loop.vcf"])
        // Found as soon as it leads somewhere.
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "nowhere"), withIntermediateDirectories: true)
        try Data(card("Grace", uid: "g")).write(to: folder.url.appending(path: "nowhere/x.vcf"))
        #expect(try await source.contents().names == ["Ada", "Grace"])
    }

    @Test("Each card of a file with many is read alone, whatever the file's size") func many() async throws {
        let count = 20_000
        let cards = (0..<count).map { card("Person \($0)", uid: "u\($0)") }
        try write(Array("all.vcf".utf8), cards.flatMap { $0 })
        let source = source()
        let contents = try await source.contents()
        for index in stride(from: 0, to: count, by: 10) {
            #expect(try await source.vCard(contents.entries[index].reference).bytes == cards[index])
        }
    }
}
