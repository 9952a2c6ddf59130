import KithModel
import Testing

@Suite("Share codes") struct ShareCodeTests {
    @Test(
        "Spellings of one code are equal",
        arguments: ["ADA-TEA", "ada tea", "AdaTea", "-ada--tea-", "ADA\u{2011}TEA"])
    func spellings(typed: String) throws {
        #expect(try ShareCode(typed) == ShareCode("ADA-TEA"))
    }

    @Test("O and 0, and I, L and 1 are the same") func lookAlikes() throws {
        #expect(try ShareCode("OIL") == ShareCode("011"))
        #expect(try ShareCode("OIL").text == "OIL")
        #expect(try ShareCode("OIL") != ShareCode("01S"))
    }

    @Test("Trap: codes – each fault has an error of its own") func faults() throws {
        let rules = ShareCodeRules(lengths: 4...8, reserved: ["admin", "KITH"])
        #expect(throws: ShareCode.Fault.illegalCharacter("ä")) { try rules.code("tränen") }
        #expect(throws: ShareCode.Fault.illegalCharacter(".")) { try rules.code("../etc") }
        #expect(throws: ShareCode.Fault.outOfRange(4...8)) { try rules.code("abc") }
        #expect(throws: ShareCode.Fault.outOfRange(4...8)) { try rules.code("a") }
        #expect(throws: ShareCode.Fault.outOfRange(4...8)) { try rules.code("abcdefghi") }
        #expect(throws: ShareCode.Fault.reserved("admin")) { try rules.code("my-ADM1N") }
        #expect(throws: ShareCode.Fault.reserved("KITH")) { try rules.code("K-I-T-H") }
        #expect(try rules.code("tea-time").text == "TEA-TIME")
        #expect(
            Set(
                [ShareCode.Fault.illegalCharacter("/"), .outOfRange(4...8), .reserved("x"), .taken].map(\.sentence)
            ).count == 4)
    }

    @Test("A code from random bits has 8 characters, none of which is a vowel or looks like another") func random()
        throws
    {
        var generator = SplitMix64(seed: 7)
        var codes: Set<ShareCode> = []
        for _ in 0..<10_000 {
            let code = ShareCode(random: generator.next())
            #expect(code.text.wholeMatch(of: /[2-9B-DF-HJKMNP-TV-Z]{4}-[2-9B-DF-HJKMNP-TV-Z]{4}/) != nil)
            #expect(code.isRandom && (try? ShareCode(code.text))?.isRandom == true)
            codes.insert(code)
        }
        #expect(codes.count == 10_000)
        #expect(try !ShareCode("ADA-TEA").isRandom)
    }

    @Test("Hostile texts are refused or read, and never end the program")
    func hostile() {
        for text in [
            "", "-", "   ", "\u{0}\u{0}\u{0}", String(repeating: "A", count: 100_000), "İİİ", "ßßß", "A\u{301}BC",
            "B\u{301}ABC",
        ] {
            #expect(throws: ShareCode.Fault.self) { try ShareCode(text) }
        }
    }
}
