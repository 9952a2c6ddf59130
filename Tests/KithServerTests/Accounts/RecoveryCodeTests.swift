import Foundation
import KithServer
import Testing

@Suite("A recovery code") struct RecoveryCodeTests {
    private let code = RecoveryCode(random: RandomBytes { Array(0...31) })

    @Test("Has twenty characters of five bits, without those that look alike, in groups of five") func form() {
        #expect(code.text == "01234-56789-ABCDE-FGHJK")
        let all = RecoveryCode(random: RandomBytes { Array(repeating: 0xFF, count: 32) })
        #expect(all.text == "ZZZZZ-ZZZZZ-ZZZZZ-ZZZZZ")
        let letters = Set(
            (0...31).compactMap { byte in
                RecoveryCode(random: RandomBytes { Array(repeating: byte, count: 32) }).text.first
            })
        #expect(letters.count == 32 && letters.isDisjoint(with: "ILOU"))
    }

    @Test(
        "Is read as people type it",
        arguments: [
            "01234-56789-ABCDE-FGHJK", "0123456789abcdefghjk", " oI234 56789 abcde fghjk ", "Ol234-56789ABCDEFGHJK",
        ])
    func typed(text: String) {
        #expect(RecoveryCode(typed: text) == code)
    }

    @Test(
        "Is not read from anything else",
        arguments: [
            "", "-", "01234-56789-ABCDE-FGHJ", "01234-56789-ABCDE-FGHJKK", "01234-56789-ABCDE-FGHJU",
            "01234_56789_ABCDE_FGHJK",
            String(repeating: " ", count: 61) + "0123456789ABCDEFGHJK", "ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ", "٠123456789ABCDEFGHJK",
        ])
    func others(text: String) {
        #expect(RecoveryCode(typed: text) == nil)
    }
}
