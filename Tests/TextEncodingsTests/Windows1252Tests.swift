import Testing
import TextEncodings

@Suite("Windows-1252") struct Windows1252Tests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: Windows1252.utf8(bytes[...]), as: UTF8.self) }

    @Test("Its own characters are decoded, undefined bytes and all others as in Latin-1")
    func decoding() {
        #expect(text([0x80, 0x20, 0x93, 0x61, 0x94, 0x9F]) == "€ “a”Ÿ")
        for byte in [0x00...0x7F, 0xA0...0xFF, 0x81...0x81, 0x8D...0x8D, 0x8F...0x90, 0x9D...0x9D].joined() {
            #expect(text([UInt8(byte)]).unicodeScalars.map { Int($0.value) } == [byte])
        }
    }

    @Test("Each byte is read back as it was written")
    func roundTrip() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Windows1252.bytes(Array(Windows1252.utf8(bytes[...]))) == bytes)
    }

    @Test("A text with another character has no bytes", arguments: ["日", "a\u{80}", "\u{9F}", "ÿĀ", "e\u{301}"])
    func others(text: String) { #expect(Windows1252.bytes(Array(text.utf8)) == nil) }
}
