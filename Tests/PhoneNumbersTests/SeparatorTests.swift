import Dispatch
import KithModel
import PhoneNumbers
import Synchronization
import Testing

/// Separators are left out before libphonenumber sees a number, for speed. A
/// semicolon at the end prevents that, and says nothing to libphonenumber.
@Suite("Separators") struct SeparatorTests {
    private let parser = LibPhoneNumber()

    private static let regions = ["AT", "US", "IT", "AR", "BR", "RU", "MX", "GB", "AC", "KR", "HU", "ZZ", nil]
        .map { $0.flatMap(Region.init) }

    /// A text of digits, separators and pluses, more of them well-placed than not.
    private static func text(_ random: inout SplitMix64) -> String {
        let starts = [
            "", "+", "00", "011", "0", "(0", "+(", "(+", "+43", "+39 0", "+55 11 ", "8 10 ", "1-", "++", "-+",
        ]
        let pieces = Array("0123456789").map(String.init) + [" ", "-", ".", "/", "(", ")", "  "]
        var text = starts.randomElement(using: &random) ?? ""
        for _ in 0..<Int.random(in: 0...16, using: &random) {
            text += pieces.randomElement(using: &random) ?? ""
        }
        if Int.random(in: 0..<20, using: &random) == 0 { text += "+1" }
        return text
    }

    @Test("Make no difference", arguments: 0..<20 as Range<UInt64>)
    func noDifference(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let text = Self.text(&random)
            let region = Self.regions.randomElement(using: &random) ?? nil
            let bare = parser.parse(text, in: region)
            let whole = parser.parse(text + ";", in: region)
            #expect(bare.e164 == whole.e164, "“\(text)” in \(region?.code ?? "none")")
            #expect(bare.kind == whole.kind, "“\(text)” in \(region?.code ?? "none")")
            #expect(bare.extension == nil && whole.extension == nil)
        }
    }

    @Test("Every thread reads the same")
    func threads() {
        var random = SplitMix64(seed: 1)
        let texts = (0..<500).map { _ in Self.text(&random) }
        let expected = texts.map { parser.e164($0, in: Region("AT")) }
        let agreeing = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            if texts.map({ LibPhoneNumber().e164($0, in: Region("AT")) }) == expected { agreeing.withLock { $0 += 1 } }
        }
        #expect(agreeing.withLock { $0 } == 4)
    }
}
