import Testing
import TextEncodings

@Suite("Hexadecimal codes of bytes") struct HexCodesTests {
    private func decoded(_ text: String) -> String {
        String(decoding: HexCodes.quotedPrintable.decoded(ArraySlice(text.utf8)), as: UTF8.self)
    }

    @Test("Each byte has a code that is decoded as that byte")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            for codes in [HexCodes.quotedPrintable, .percent] {
                let code = codes.code(of: byte)
                #expect(code.count == 3)
                #expect(codes.decoded(code[...]) == [byte] && codes.decoded(strictly: code[...]) == [byte])
            }
        }
        #expect(HexCodes.quotedPrintable.code(of: 0xC3) == Array("=C3".utf8))
        #expect(HexCodes.percent.code(of: 0x0A) == Array("%0A".utf8))
    }

    @Test("Digits are decoded in upper and lower case, and other text stays")
    func digits() {
        #expect(decoded("a=C3=bcb") == "aüb")
        #expect(decoded("") == "" && decoded("50 %41") == "50 %41")
        #expect(HexCodes.percent.decoded(Array("%41=41".utf8)[...]) == Array("A=41".utf8))
    }

    @Test("A slice is decoded from its first byte to its last")
    func slices() {
        let bytes = Array("=41=42=43".utf8)
        #expect(HexCodes.quotedPrintable.decoded(bytes[3..<6]) == [0x42])
        #expect(HexCodes.quotedPrintable.decoded(bytes[3..<5]) == Array("=4".utf8))
    }

    @Test(
        "A sign without two digits stays, or is refused by the strict decoder",
        arguments: ["=", "=4", "a=", "=4G", "=G4", "=+1", "=-1", "= 1", "==", "=é"])
    func faults(text: String) {
        #expect(decoded(text) == text && decoded("=41\(text)") == "A\(text)")
        #expect(HexCodes.quotedPrintable.decoded(strictly: ArraySlice("=41\(text)".utf8)) == nil)
    }

    @Test("After a sign without digits, decoding goes on")
    func signs() { #expect(decoded("==41=4=42") == "=A=4B") }
}
