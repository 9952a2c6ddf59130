import Foundation
import KithCommand
import KithServer
import Processes
import Testing

@Suite("QR codes in the terminal") struct QRCodeTests {
    private static let link = "https://kith.example.com/pair#hM0D5yJr9GvHCDjBHuOTI_KvXJ4yQYlT-o5viojgzYY"
    private static let reader = URL(filePath: "/usr/bin/zbarimg")
    private static let isReaderHere = FileManager.default.isExecutableFile(atPath: reader.path(percentEncoded: false))

    /// The lines as a picture in greyscale (PGM): each character is two modules of eight pixels.
    private func picture(_ lines: [String]) -> Data {
        let rows = lines.flatMap { line in
            [
                line.map { "▀█".contains($0) ? UInt8(255) : 0 }, line.map { "▄█".contains($0) ? UInt8(255) : 0 },
            ]
        }
        let size = 8
        var data = Data("P5\n\((rows.first?.count ?? 0) * size) \(rows.count * size)\n255\n".utf8)
        for row in rows {
            let pixels = row.flatMap { Array(repeating: $0, count: size) }
            for _ in 0..<size { data.append(contentsOf: pixels) }
        }
        return data
    }

    @Test(
        "zbarimg reads the drawn code",
        .enabled(if: isReaderHere, "zbarimg is not installed: apt-get install zbar-tools"),
        arguments: [link, "http://127.0.0.1:8480/pair#a", String(repeating: "longer ", count: 100)])
    func readBack(text: String) async throws {
        let lines = try #require(QRCode(text)).lines(isColoured: false)
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString).pgm")
        try picture(lines).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let read = try await FinishedProcess(
            Self.reader, ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file.path(percentEncoded: false)])
        #expect(String(decoding: read.output, as: UTF8.self) == text + "\n")
    }

    @Test("The margin has four light modules on each side, and all lines have the same width") func quietZone() throws {
        let code = try #require(QRCode(Self.link))
        let lines = code.lines(isColoured: false)
        #expect(Set(lines.map(\.count)) == [code.width + 8])
        #expect(lines.count == (code.width + 9) / 2)
        #expect(lines.prefix(2).allSatisfy { $0.allSatisfy { $0 == "█" } })
        #expect(lines.allSatisfy { $0.hasPrefix("████") && $0.hasSuffix("████") })
    }

    @Test("With colours, each line sets black and white, and resets the terminal at its end") func coloured()
        throws
    {
        let code = try #require(QRCode(Self.link))
        for (coloured, plain) in zip(code.lines(isColoured: true), code.lines(isColoured: false)) {
            #expect(coloured == "\u{1B}[38;5;231;48;5;16m\(plain)\u{1B}[0m")
        }
    }

    @Test("A text that is empty or too long has no code") func tooLong() {
        #expect(QRCode(String(repeating: "x", count: 2_331)) != nil)
        #expect(QRCode(String(repeating: "x", count: 2_332)) == nil)
        #expect(QRCode("") == nil)
    }
}
