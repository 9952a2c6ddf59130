import Foundation
import Kith
import KithModel
import Testing

@Suite("A damaged file") struct DamagedFileTests {
    @Test("Never crashes a reader, and everything that is read follows the rules", arguments: 0..<20 as Range<UInt64>)
    func readersHold(block: UInt64) throws {
        let samples = try SampleFile.all.map { try $0.data.prefix(2_500) }
        for seed in block * 100..<(block + 1) * 100 {
            var dice = DocumentDice(seed: seed)
            let whole = samples[Int(seed) % samples.count]
            let damaged = Self.damage(whole, with: &dice)
            _ = ListFormat.recognised(fileName: "", content: damaged)
            for (index, format) in ListFormat.allCases.enumerated() {
                let document = try Self.read(damaged, as: format, seed: seed)
                // One of the five in turn, since this takes longest.
                if let document, Int(seed) % 5 == index { try Self.checkWriting(document, as: format, seed: seed) }
            }
        }
    }

    /// What is read, checked against the rules; nil if it is refused as a whole.
    private static func read(_ bytes: Data, as format: ListFormat, seed: UInt64) throws -> ListDocument? {
        let document: ListDocument
        do {
            document = try format.read(bytes)
        } catch let failure as ListFormat.Failure {
            #expect(!failure.sentence.isEmpty)
            return nil
        }
        let lines = 1 + bytes.count { $0 == 10 || $0 == 13 }
        // One expectation for all: there are a million of them.
        let areNamed = document.faults.allSatisfy {
            (1...lines).contains($0.line) && !$0.reason.isEmpty
                && $0.text.unicodeScalars.count <= ListFormat.shownCharacters + 1
        }
        #expect(areNamed, "\(format), seed \(seed)")
        let areSound = document.items.allSatisfy {
            ListItem.schema["title"]?.fault(in: .text($0.title)) == nil && (1...9_999).contains($0.count)
                && $0.category != "" && $0.comment != "" && $0.offer != ""
        }
        #expect(areSound, "\(format), seed \(seed)")
        return document
    }

    private static func checkWriting(_ document: ListDocument, as format: ListFormat, seed: UInt64) throws {
        let again = try format.read(format.write(document))
        #expect(again.exactly == format.carried(document).exactly, "\(format), seed \(seed)")
        #expect(again.faults.isEmpty, "\(format), seed \(seed)")
    }

    /// One to eight accidents: bytes changed, lost, doubled, swapped or put in, an end cut off, another encoding.
    private static func damage(_ bytes: Data, with dice: inout DocumentDice) -> Data {
        var bytes = [UInt8](bytes)
        for _ in 0..<Int.random(in: 1...8, using: &dice) {
            let start = Int.random(in: 0...bytes.count, using: &dice)
            let end = min(bytes.count, start + Int.random(in: 0...40, using: &dice))
            switch Int.random(in: 0..<8, using: &dice) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 2: bytes[start..<end].reverse()
            case 3: for index in start..<end { bytes[index] ^= UInt8.random(in: .min ... .max, using: &dice) & 0x91 }
            case 4: if start < end { bytes[start] = UInt8.random(in: .min ... .max, using: &dice) }
            case 5, 6: bytes.insert(contentsOf: (DocumentDice.pieces.randomElement(using: &dice) ?? "").utf8, at: start)
            default:
                if Bool.random(using: &dice) { bytes.removeSubrange(start...) } else { bytes = Array(bytes[start...]) }
            }
        }
        guard Int.random(in: 0..<10, using: &dice) == 0 else { return Data(bytes) }
        return Data([0xFF, 0xFE] + bytes.flatMap { [$0, Bool.random(using: &dice) ? 0 : $0 & 0xD9] })
    }
}
