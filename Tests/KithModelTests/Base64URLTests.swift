import Foundation
import KithModel
import Testing

@Suite("Base64url") struct Base64URLTests {
    /// The notation of Foundation, with the two other characters and without the padding.
    private func expected(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    @Test("writes and reads bytes of every length", arguments: 0..<70)
    func lengths(count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        for _ in 0..<20 {
            let data = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            let text = expected(data)
            #expect(data.base64URL == text && [UInt8](data)[...].base64URL == text)
            #expect(Data(base64URL: text) == data)
            #expect([UInt8](base64URL: text) == [UInt8](data))
        }
    }

    @Test("has all 64 characters") func characters() {
        let bytes = Data((0..<64).reduce(into: [UInt8]()) { $0.append($1) })
        let words = stride(from: 0, to: 64, by: 4).flatMap { first -> [UInt8] in
            let word = (0..<4).reduce(UInt32(0)) { $0 << 6 | UInt32(bytes[first + $1]) }
            return [UInt8(word >> 16), UInt8(word >> 8 & 0xFF), UInt8(word & 0xFF)]
        }
        let all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        #expect(words.base64URL == all)
        #expect([UInt8](base64URL: all) == words)
    }

    @Test(
        "refuses other characters, padding, and a single character at the end",
        arguments: [
            "A", "AAAAA", "QQ==", "QQ=", "QUI=", "QU+C", "QU/C", "QU C", "QUI\n", "QU@C", "QU[C", "QU`C", "QU{C",
            "QU:C",
            "QUé", "QU\0C",
        ])
    func refuses(text: String) {
        #expect(Data(base64URL: text) == nil)
        #expect([UInt8](base64URL: text) == nil)
    }

    @Test("refuses bits of the last character that belong to no byte, so that bytes have one text") func spareBits() {
        #expect(Data(base64URL: "QQ") == Data("A".utf8) && Data(base64URL: "QUI") == Data("AB".utf8))
        for text in ["QR", "QS", "QY", "Qf", "QUJ", "QUK"] { #expect(Data(base64URL: text) == nil, "\(text)") }
    }
}
