import Foundation
import KithModel
import KithServer
import Testing

@Suite("The token with a position for each feed") struct TokenTests {
    private func id(_ number: UInt8) -> UUID {
        UUID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }

    private func bytes(_ number: UInt8) -> [UInt8] {
        [0x01, 0x90, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, number]
    }

    private func positions(_ bytes: [UInt8]) -> FeedPositions? {
        FeedPositions(SyncToken(rawValue: Data(bytes).base64URL))
    }

    @Test("keeps its exact encoding, so that existing tokens stay valid") func form() {
        let positions = FeedPositions(
            epoch: "e1",
            feeds: [
                FeedID(id(2)): .pages(after: RecordID(id(9)), since: 300), FeedID(id(3)): .reread,
                FeedID(id(1)): .changes(after: 127),
            ])
        let all = [1, 2, 0x65, 0x31] + bytes(1) + [0, 127] + bytes(2) + [1] + bytes(9) + [0xAC, 2] + bytes(3) + [2]
        #expect(positions.token == SyncToken(rawValue: Data(all).base64URL))
        #expect(self.positions(all) == positions)
    }

    @Test(
        "encodes every sequence exactly", arguments: [0, 1, 127, 128, 129, 16_383, 16_384, 1 << 53, .max] as [Int64])
    func sequences(number: Int64) {
        let positions = FeedPositions(epoch: "", feeds: [FeedID(id(1)): .changes(after: number)])
        #expect(FeedPositions(positions.token) == positions)
    }

    @Test("says whether its answer was incomplete", arguments: [false, true]) func continued(isContinued: Bool) {
        for epoch in ["", "e", "IZZ8nb1URW_TA13rd74BYQ"] {
            let positions = FeedPositions(epoch: epoch, isContinued: isContinued)
            #expect(FeedPositions(positions.token) == positions)
        }
    }

    @Test("can be read without any feed") func noFeeds() {
        #expect(positions([1, 2, 0x65, 0x31]) == FeedPositions(epoch: "e1"))
        #expect(positions([1, 0]) == FeedPositions(epoch: ""))
    }

    @Test("cannot be read with other or truncated content") func unreadable() {
        #expect(positions([]) == nil)
        #expect(positions([3, 0]) == nil, "Another version.")
        #expect(positions([0, 0]) == nil, "Another version.")
        #expect(positions([1]) == nil, "No epoch.")
        #expect(positions([1, 3, 0x65, 0x31]) == nil, "An epoch that is cut off.")
        #expect(positions([1, 0] + bytes(1)) == nil, "A feed without a position.")
        #expect(positions([1, 0] + bytes(1).dropLast()) == nil, "A feed that is cut off.")
        #expect(positions([1, 0] + bytes(1) + [3]) == nil, "A position of another kind.")
        #expect(positions([1, 0] + bytes(1) + [0]) == nil, "No sequence.")
        #expect(positions([1, 0] + bytes(1) + [0, 0x80]) == nil, "A sequence that is cut off.")
        #expect(positions([1, 0] + bytes(1) + [1] + bytes(2)) == nil, "Pages since nothing.")
    }

    @Test("cannot be read with a number beyond 63 bits") func tooLarge() {
        let rest = [UInt8](repeating: 0x80, count: 9)
        for last in [0, 1, 0x7F] as [UInt8] { #expect(positions([1, 0] + bytes(1) + [0] + rest + [last]) == nil) }
        #expect(positions([1] + rest + [1]) == nil)
    }
}
