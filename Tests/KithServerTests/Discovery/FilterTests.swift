import Foundation
import KithModel
import KithServer
import Testing

@Suite("Filters of a server") struct FilterTests {
    private static let ada = "tel:+436641234567"
    private let seeker: Seeker

    init() async throws { seeker = try await Seeker() }

    private func key(at now: Timestamp = Seeker.noon) async throws -> DiscoveryDescription.Key {
        try #require(try await seeker.service.describe(for: seeker.account, at: now).keys.first)
    }

    private func filter(at now: Timestamp = Seeker.noon) async throws -> TagFilter {
        try #require(TagFilter(try await seeker.service.filter(of: key(at: now).id, at: now)))
    }

    @Test("the filter has every entry of every bucket, padding included, and nobody who has left") func complete()
        async throws
    {
        try await seeker.crowd(1_500)
        // Two of the four buckets keep about 75 each, and are padded.
        try await seeker.database.write { transaction in
            try transaction.execute(
                """
                UPDATE evaluation SET prefix = -prefix - 1
                WHERE prefix < 0 AND sequence > (SELECT horizon + 300 FROM discovery_key)
                """)
        }
        let leaver = try await seeker.register(Self.ada)
        let key = try await key()
        try await seeker.change { try $0.withdraw(leaver, in: $1) }
        let filter = try await filter()
        let buckets = try await seeker.service.look(
            BucketRequest(key: key.id, bits: key.bits, prefixes: Array(UInt32(0)..<(1 << UInt32(key.bits)))),
            at: Seeker.noon
        ).buckets
        let tags = buckets.flatMap(\.entries).map(\.tag)
        #expect(buckets.contains { $0.entries.count == Limits.bucketFloor })
        #expect(tags.count > 1_500 && filter.count == tags.count)
        #expect(filter.present(of: tags) == Set(tags))
        #expect(try await self.key().identities == 1_500)
        #expect(try await filter.sequence == self.key().sequence)
    }

    @Test("there is no filter while all have one bucket") func small() async throws {
        try await seeker.crowd(639)
        #expect(try await key().identities == nil)
        let refused = await refusal { try await filter() }
        #expect(refused?.code == .conflict)
        try await seeker.crowd(1, seed: 8)
        #expect(try await key().identities == 640)
        #expect(try await filter().count == 640)
    }

    @Test("a filter is built once a minute, and names the sequence that it has") func minutes() async throws {
        try await seeker.crowd(700)
        let first = try await filter()
        try await seeker.register(Self.ada)
        #expect(try await filter() == first)
        #expect(try await filter(at: Seeker.noon + .seconds(59)) == first)
        let next = try await filter(at: Seeker.noon + .seconds(60))
        #expect(next.count == 701 && next.sequence == first.sequence + 1)
        let output = try await seeker.output(of: Self.ada, key: key().id)
        #expect(next.present(of: [output.tag]) == [output.tag])
        // The clock was set back.
        try await seeker.register("mailto:ben@example.com")
        #expect(try await filter(at: Seeker.noon - .days(1)).count == 702)
    }

    @Test("the filter of a key that has ended is refused, and the new key has one of its own") func rotated()
        async
        throws
    {
        for number in 0..<640 { try await seeker.register("tel:+4366410\(10_000 + number)") }
        let (old, before) = (try await key().id, try await filter())
        _ = try seeker.keys.add()
        try await seeker.keepUp()
        let after = try await filter()
        #expect(after.count == before.count && after != before)
        let end = Seeker.noon + Limits.keyOverlap
        let refused = await refusal { try await seeker.service.filter(of: old, at: end) }
        #expect(refused?.code == .keyExpired)
    }
}
