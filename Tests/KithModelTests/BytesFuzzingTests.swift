import Foundation
import KithModel
import Testing

@Suite("Binary messages") struct BytesFuzzingTests {
    private static let pictures: [[UInt8]] = [
        [0xFF, 0xD8, 0xFF, 0xE0], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
        Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBPVP8 ".utf8),
    ]

    @Test("Each sample of the fuzzer is of the kind in its name") func samples() {
        #expect(Self.pictures.map { PictureType($0) } == [.jpeg, .png, .webP])
        var random = SplitMix64(seed: 1)
        #expect(BucketAnswer(Data(Self.answer(&random))) != nil)
        #expect(TagFilter(Data(Self.filter(&random))) != nil)
    }

    @Test("Damaged bytes are either read consistently or not at all", arguments: 0..<100 as Range<UInt64>)
    func damaged(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<20 {
            var bytes =
                switch Int.random(in: 0..<3, using: &random) {
                case 0: Self.answer(&random)
                case 1: Self.filter(&random)
                default: Self.pictures.randomElement(using: &random)!
                }
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place...)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            #expect(BytesFuzzing.broken(by: bytes) == nil)
        }
    }

    @Test("The laws hold for earlier finds of the fuzzers") func found() throws {
        let folder = URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz/Found")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files { #expect(BytesFuzzing.broken(by: Array(try Data(contentsOf: file))) == nil) }
    }

    private static func answer(_ random: inout SplitMix64) -> [UInt8] {
        let buckets = (0..<Int.random(in: 0...3, using: &random)).map { number in
            BucketAnswer.Bucket(
                prefix: UInt32(number),
                entries: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    BucketAnswer.Entry(
                        tag: random.next(), account: MaskedAccount(high: random.next(), low: random.next()))
                }, gone: (0..<Int.random(in: 0...2, using: &random)).map { _ in random.next() })
        }
        let isChanges = Bool.random(using: &random)
        let isCompact = Bool.random(using: &random)
        return Array(
            BucketAnswer(sequence: 9, isChanges: isChanges, isCompact: isCompact, bits: 2, buckets: buckets).data)
    }

    private static func filter(_ random: inout SplitMix64) -> [UInt8] {
        let tags = (0..<Int.random(in: 0...20, using: &random)).map { _ in random.next() }
        return Array(TagFilter(tags, sequence: 9).data)
    }
}
