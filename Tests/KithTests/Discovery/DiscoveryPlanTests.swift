import Foundation
import Kith
import KithDiscovery
import KithModel
import Testing

@Suite("Requests of discovery") struct DiscoveryPlanTests {
    private static let month = Timestamp(milliseconds: 1_800_000_000_000)
    private static let new = DiscoveryDescription.Key(id: "new", since: month, until: nil, bits: 1, sequence: 9)
    private static let old = DiscoveryDescription.Key(
        id: "old", since: month - .days(90), until: month + .days(30), bits: 1, sequence: 70)
    private let device = DeviceID(UUID(high: 1, low: 2))

    private func identity(_ number: Int) -> Identity {
        E164("+4366400\(1000 + number)").map(Identity.phone) ?? .email(EmailAddress("never@example.com")!)  // A number.
    }

    /// A lookup of the identity of this number, in a bucket of one bit, with a tag of this number.
    private func lookup(
        _ number: Int, bucket: UInt8 = 0, key: String = "new", isLooked: Bool = false, match: AccountID? = nil
    ) throws -> Lookup {
        var bytes = [UInt8](repeating: 0, count: 64)
        (bytes[0], bytes[15]) = (bucket << 7, UInt8(number))
        return Lookup(
            identity: identity(number), key: key, output: try #require(DiscoveryOutput(bytes)), isLooked: isLooked,
            match: match)
    }

    @Test("only what is new is evaluated, and what is not wanted any more is forgotten") func incremental() throws {
        let known = try [lookup(1, isLooked: true), lookup(2, isLooked: true), lookup(3, key: "lost", isLooked: true)]
        let plan = try #require(
            DiscoveryPlan(
                wanted: [identity(2), identity(3), identity(4)], known: KnownLookups(known), keys: [Self.new],
                device: device,
                at: Self.month))
        #expect(plan.key == Self.new)
        #expect(plan.forgotten == [identity(1)])
        #expect(plan.unevaluated == [identity(3), identity(4)])
        #expect(DiscoveryPlan(wanted: [], known: KnownLookups(), keys: [], device: device, at: Self.month) == nil)
    }

    @Test("a new device uses the current key at once, and one that has begun to change keys continues") func keys()
        throws
    {
        func chosen(_ lookups: [Lookup], at now: Timestamp) -> String? {
            DiscoveryPlan(
                wanted: [], known: KnownLookups(lookups), keys: [Self.new, Self.old], device: device, at: now)?.key.id
        }
        let held = try lookup(1, key: "old")
        #expect(chosen([], at: Self.month) == "new")
        #expect(chosen([held], at: Self.month) == "old")
        #expect(try chosen([held, lookup(2)], at: Self.month) == "new")
        #expect(try chosen([lookup(1, key: "older")], at: Self.month) == "new")
        #expect(chosen([held], at: Self.month + .days(25)) == "new")
    }

    @Test("a period of an old key that cannot be is none", arguments: [(0, .max), (.min, .max), (.max, .min), (0, -1)])
    func impossiblePeriod(since: Int64, until: Int64) throws {
        let new = DiscoveryDescription.Key(
            id: "new", since: Timestamp(milliseconds: since), until: nil, bits: 1, sequence: 9)
        let old = DiscoveryDescription.Key(
            id: "old", since: Self.month, until: Timestamp(milliseconds: until), bits: 1, sequence: 70)
        let plan = try DiscoveryPlan(
            wanted: [], known: KnownLookups([lookup(1, key: "old")]), keys: [new, old], device: device, at: Self.month)
        #expect(plan?.key.id == "new")
    }

    @Test("devices move over to a new key one by one, and all of them before the old one ends") func movingOver() throws
    {
        let held = try lookup(1, key: "old")
        var random = SplitMix64(seed: 3)
        let devices = (0..<1_000).map { _ in DeviceID(.version7(time: Self.month, using: &random)) }
        let moved = (0...25).map { day in
            devices.count { device in
                DiscoveryPlan(
                    wanted: [], known: KnownLookups([held]), keys: [Self.new, Self.old], device: device,
                    at: Self.month + .days(Int64(day)))?.key.id == "new"
            }
        }
        #expect(moved[25] == 1_000)
        for (before, after) in zip(moved, moved.dropFirst()) {
            // Forty a day; more than twice that, or less than a quarter, would be no even spread.
            #expect((10...80).contains(after - before))
        }
    }

    @Test("a bucket with something new is read whole, of the others only the changes") func buckets() throws {
        let lookups = try [
            lookup(1), lookup(2, isLooked: true), lookup(3, bucket: 1, isLooked: true),
            lookup(4, bucket: 1, key: "old", isLooked: true),
        ]
        let plan = BucketPlan(KnownLookups(lookups), under: Self.new, in: "now", since: 6)
        #expect(plan.whole == [0] && plan.changed == [1])
        #expect(plan.next == BucketRequest(key: "new", bits: 1, prefixes: [0]))
        let read = BucketPlan(KnownLookups(lookups.dropFirst()), under: Self.new, in: "now", since: 6)
        #expect(read.next == BucketRequest(key: "new", bits: 1, prefixes: [0, 1], since: 6, epoch: "now"))
        #expect(BucketPlan(KnownLookups(lookups), under: Self.new, in: "now", since: nil).whole == [0, 1])
        let known = BucketPlan(KnownLookups(lookups.dropFirst()), under: Self.new, in: "now", since: 9)
        #expect(known.next == nil && known.reached == 9)
    }

    @Test("a bucket's entries count; others stay as before, or are gone if the bucket is whole")
    func answers() throws {
        let (ada, ben) = (AccountID(UUID(high: 7, low: 8)), AccountID(UUID(high: 9, low: 10)))
        let members = try [
            lookup(1, isLooked: true, match: ada), lookup(2, isLooked: true, match: ada), lookup(3, isLooked: true),
        ]
        let entry = BucketAnswer.Entry(tag: 3, account: members[2].output.masked(ben))
        let stranger = BucketAnswer.Entry(tag: 99, account: MaskedAccount(high: 1, low: 1))
        func others(_ answer: BucketAnswer) throws -> [Identity: AccountID?] {
            var plan = BucketPlan(KnownLookups(members), under: Self.new, in: "now", since: 2)
            _ = try #require(plan.next)
            let looked = plan.take(answer)
            #expect(plan.next == nil && plan.reached == 9)
            return Dictionary(uniqueKeysWithValues: looked.map { ($0.identity, $0.match) })
        }
        let bucket = BucketAnswer.Bucket(prefix: 0, entries: [stranger, entry], gone: [2])
        let changes = try others(BucketAnswer(sequence: 9, isChanges: true, bits: 1, buckets: [bucket]))
        #expect(changes == [identity(2): nil, identity(3): ben])
        let whole = try others(BucketAnswer(sequence: 9, isChanges: false, bits: 1, buckets: [bucket]))
        #expect(whole == [identity(1): nil, identity(2): nil, identity(3): ben])
    }

    @Test("what an answer leaves out is asked for again, and all is read only up to the least of the answers")
    func rest() throws {
        var plan = BucketPlan(
            try KnownLookups([lookup(1), lookup(2, bucket: 1)]), under: Self.new, in: "now", since: nil)
        #expect(plan.next?.prefixes == [0, 1])
        let first = BucketAnswer.Bucket(prefix: 0, entries: [])
        #expect(plan.take(BucketAnswer(sequence: 9, isChanges: false, bits: 1, buckets: [first])).count == 1)
        #expect(plan.next?.prefixes == [1])
        let second = BucketAnswer.Bucket(prefix: 1, entries: [])
        _ = plan.take(BucketAnswer(sequence: 12, isChanges: false, bits: 1, buckets: [second]))
        #expect(plan.next == nil && plan.reached == 9)
    }

    @Test("Trap: Who joins between the answers of one look is missed – they are read with the next") func between()
        throws
    {
        // A new number's bucket is read whole at 9; then the changes of the others, at 11, by which time somebody joined.
        var plan = BucketPlan(
            try KnownLookups([lookup(1), lookup(2, bucket: 1, isLooked: true)]), under: Self.new, in: "now", since: 5)
        _ = plan.take(
            BucketAnswer(
                sequence: 9, isChanges: false, bits: 1, buckets: [BucketAnswer.Bucket(prefix: 0, entries: [])]))
        _ = plan.take(
            BucketAnswer(
                sequence: 11, isChanges: true, bits: 1, buckets: [BucketAnswer.Bucket(prefix: 1, entries: [])]))
        #expect(plan.next == nil && plan.reached == 9)
    }
}
