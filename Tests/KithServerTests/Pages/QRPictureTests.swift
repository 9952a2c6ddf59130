import Foundation
import KithServer
import Testing

@Suite("The picture of a QR code") struct QRPictureTests {
    private static let link = "https://kith.example/s/ADA-TEA?c=scan"

    @Test(
        "The path covers the dark modules, and no other",
        arguments: [link, "a", String(repeating: "longer ", count: 100)])
    func path(text: String) throws {
        let code = try #require(QRCode(text))
        var dark: Set<[Int]> = []
        for run in code.path.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (column, row) = (try #require(Int(run.output.1)), try #require(Int(run.output.2)))
            let length = try #require(Int(run.output.3))
            #expect(run.output.3 == run.output.4 && length > 0)
            for column in column..<column + length {
                #expect(dark.insert([row - QRCode.quietZone, column - QRCode.quietZone]).inserted)
            }
        }
        var modules: Set<[Int]> = []
        for (index, isDark) in code.modules.enumerated() where isDark {
            modules.insert([index / code.width, index % code.width])
        }
        #expect(dark == modules)
        #expect(code.path.replacing(/M\d+ \d+h\d+v1h-\d+z/, with: "").isEmpty)
    }

    @Test("The file has a margin of four modules on each side, and is black on white") func file() throws {
        let code = try #require(QRCode(Self.link))
        let text = String(decoding: code.svg, as: UTF8.self)
        #expect(code.pictureWidth == code.width + 8)
        #expect(text.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(code.width + 8) "))
        #expect(text.contains("fill=\"#fff\"/><path d=\"\(code.path)\"/></svg>\n"))
    }
}
