import Foundation
import Kith
import KithAddressBook
import KithModel
import Testing

@Suite("Faults of a source", .timeLimit(.minutes(15))) struct SourceFaultsTests {
    private let folder = TemporaryFolder()

    /// So many lines that are each a fault, and a card behind them.
    private func broken(_ count: Int) -> Data {
        Data(Array(String(repeating: "END:VCARD\r\n", count: count).utf8) + card("Ada", uid: "a"))
    }

    @Test("Trap: a file has more faults than cards – the first thousand are listed, the others counted") func file()
        async throws
    {
        let url = folder.url.appending(path: "all.vcf")
        try broken(50_000).write(to: url)
        let contents = try await VCardFileSource(url).contents()
        #expect(contents.names == ["Ada"])
        #expect(contents.faults.map(\.line) == Array(1...1_000))
        #expect((contents.faults.more, contents.faults.total) == (49_000, 50_000))
    }

    @Test("A folder lists a thousand faults, and a hundred of each file") func files() async throws {
        for number in 0..<12 { try broken(150).write(to: folder.url.appending(path: "\(number).vcf")) }
        let faults = try await VCardFolderSource(folder.url).contents().faults
        #expect((faults.count, faults.total) == (1_000, 1_800))
        #expect(faults.filter { $0.name == "0.vcf" }.count == 100)
    }
}
