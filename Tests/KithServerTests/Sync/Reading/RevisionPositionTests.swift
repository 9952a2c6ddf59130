import Foundation
import KithModel
import KithServer
import Testing

@Suite("The token of a position by revisions") struct RevisionPositionTests {
    private let account = AccountID(.init(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0005))

    private func feed(_ number: UInt8) -> FeedID {
        FeedID(.init(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number)))
    }

    private func bytes(_ number: UInt8) -> [UInt8] {
        [0x01, 0x90, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, number]
    }

    private func token(_ bytes: [UInt8]) -> SyncToken { SyncToken(rawValue: Data(bytes).base64URL) }

    private func revisions(_ range: ClosedRange<Int64>) -> RevisionPosition.Fit {
        .revisions(Revision(range.lowerBound)...Revision(range.upperBound))
    }

    private func position(
        _ feeds: [FeedID: RevisionPosition.Fit], others: ClosedRange<Int64> = 0...300
    ) -> RevisionPosition {
        RevisionPosition(
            epoch: "e1", account: account, revision: Revision(300), feeds: feeds,
            others: Revision(others.lowerBound)...Revision(others.upperBound))
    }

    private func steps(_ position: RevisionPosition) -> [[Int64?]] {
        position.steps.map { [$0.start.map { Int64($0.uuid.data.last ?? 0) }, $0.revision.number] }
    }

    @Test("keeps its exact encoding, so that existing tokens stay valid") func form() {
        let complete = RevisionPosition(epoch: "e1", account: account, revision: Revision(300))
        #expect(complete.token == token([4, 2, 0x65, 0x31, 5, 0xAC, 2]))
        #expect(RevisionPosition(complete.token) == complete)
        let continued = position([
            feed(1): revisions(200...300), feed(2): .position(.pages(after: RecordID(feed(9).uuid), since: 7)),
            feed(3): revisions(0...6),
        ])
        #expect(
            continued.token
                == token([5, 2, 0x65, 0x31, 5, 0xAC, 2, 1, 0xAC, 2] + bytes(3) + [6] + bytes(2) + [1] + bytes(9) + [7]))
        #expect(RevisionPosition(continued.token) == continued)
    }

    @Test("has the bytes of an epoch; an older token with its text is still read") func epoch() {
        let epoch = Data(1...16).base64URL
        let position = RevisionPosition(epoch: epoch, account: account, revision: Revision(300))
        #expect(position.token == token([4, 0] + (1...16) + [5, 0xAC, 2]))
        #expect(RevisionPosition(position.token) == position)
        #expect(RevisionPosition(token([4, 22] + epoch.utf8 + [5, 0xAC, 2])) == position)
        #expect(RevisionPosition(token([4, 0] + (1...15))) == nil)
    }

    @Test("says whether its answer was incomplete") func continued() {
        let complete = RevisionPosition(epoch: "e", account: account, revision: .first)
        #expect(RevisionPosition(complete.token)?.isContinued == false)
        #expect(RevisionPosition(position([:]).token)?.isContinued == true)
    }

    @Test("has one range if one revision fits all feeds") func oneRange() {
        let one = position([feed(1): revisions(5...300), feed(2): revisions(0...200), feed(3): revisions(100...100)])
        #expect(steps(one) == [[nil, 100]])
        #expect(steps(position([feed(1): .position(.reread)])) == [[nil, 300]])
    }

    @Test("begins a range only where no revision fits both sides") func ranges() {
        let all = position([
            feed(1): revisions(290...300), feed(2): revisions(100...300), feed(3): revisions(0...0),
            feed(4): .position(.changes(after: 3)), feed(5): revisions(0...70), feed(6): revisions(300...300),
        ])
        #expect(steps(all) == [[nil, 300], [3, 0], [6, 300]])
        #expect(all.positions == [feed(4): .changes(after: 3)])
    }

    @Test("keeps the feeds that it does not name in the revisions that fit them") func others() {
        let some = position([feed(2): revisions(0...100), feed(3): revisions(80...300)], others: 90...300)
        #expect(steps(some) == [[nil, 100]])
    }

    @Test("fits every feed, for any feeds", arguments: 0..<200 as Range<UInt64>) func anyFeeds(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let known = Int64.random(in: 0...300, using: &random)
        var feeds: [FeedID: RevisionPosition.Fit] = [:]
        for number in 0..<UInt8.random(in: 0...40, using: &random) {
            let middle = Int64.random(in: known...300, using: &random)
            feeds[feed(number)] =
                switch Int.random(in: 0...3, using: &random) {
                case 0: revisions(middle...300)
                case 1: revisions(0...middle)
                case 2: revisions(known...known)
                default: .position(.changes(after: middle))
                }
        }
        let position = self.position(feeds, others: known...300)
        #expect(RevisionPosition(position.token) == position)
        for (feed, fit) in feeds {
            let step = try #require(position.steps.last { $0.start.map { $0 <= feed } ?? true })
            switch fit {
            case .position(let expected): #expect(position.positions[feed] == expected)
            case .revisions(let range): #expect(range.contains(step.revision))
            }
        }
        #expect(position.steps.allSatisfy { (known...300).contains($0.revision.number) })
    }

    @Test("cannot be read with other or truncated content") func unreadable() {
        let whole = position([feed(1): revisions(300...300), feed(2): revisions(0...0), feed(3): .position(.reread)])
        let all = [UInt8](Data(base64URL: whole.token.rawValue) ?? Data())
        // Without its last feed, it is another position.
        for count in 0..<all.count where count != all.count - 17 {
            #expect(RevisionPosition(token(Array(all.prefix(count)))) == nil, "\(count)")
        }
        #expect(RevisionPosition(token([4, 0, 5, 7, 0])) == nil, "More than a revision.")
        #expect(RevisionPosition(token([5, 0, 5, 7, 0, 8])) == nil, "A range that was read beyond the answer.")
        let most = [UInt8](repeating: 0xFF, count: 8) + [0x7F]
        #expect(RevisionPosition(token([5, 0, 5, 7] + most)) == nil, "Too many ranges.")
        #expect(RevisionPosition(token([1, 0])) == nil && FeedPositions(whole.token) == nil, "The other form.")
    }
}
