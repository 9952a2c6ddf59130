import Foundation
import KithServer
import Testing

@Suite("Hexadecimal digits") struct HexTests {
    @Test("Only hexadecimal digits are decoded to bytes") func hex() {
        #expect(Hex.bytes("00ff10") == Data([0, 255, 16]) && Hex.text(Data([0, 255, 16])) == "00ff10")
        for text in ["0", "0G", "FF", "+1", "é"] { #expect(Hex.bytes(text) == nil) }
    }
}
