import Foundation
import KithModel
import KithServer
import Testing

@Suite("Buckets") struct BucketTests {
    private static let ada = "tel:+436641234567"
    private let seeker: Seeker

    init() async throws { seeker = try await Seeker() }

    private var key: DiscoveryDescription.Key {
        get async throws {
            try #require(try await seeker.service.describe(for: seeker.account, at: Seeker.noon).keys.first)
        }
    }

    private func crowd(_ count: Int) async throws { try await seeker.crowd(count) }

    @Test(
        "while the service is small there is one padded bucket", arguments: [0, 1, 5])
    func padded(count: Int) async throws {
        for number in 0..<count { try await seeker.register("tel:+4366412345\(number)") }
        let output = try await seeker.output(of: Self.ada, key: key.id)
        #expect(try await key.bits == 0)
        let bucket = try await seeker.bucket(of: output).bucket
        #expect(bucket.entries.count == Limits.bucketFloor)
        #expect(Set(bucket.entries.map(\.tag)).count == Limits.bucketFloor)
        #expect(bucket.entries.map(\.tag) == bucket.entries.map(\.tag).sorted())
    }

    @Test("padding is stable, so that repeated requests cannot reveal it") func stable() async throws {
        try await seeker.register(Self.ada)
        let output = try await seeker.output(of: Self.ada, key: key.id)
        let first = try await seeker.bucket(of: output).bucket
        let other = try await Seeker(seeker.database, keys: seeker.keys)
        #expect(try await other.bucket(of: output).bucket == first)
        try await seeker.register("mailto:ben@example.com")
        let second = try await seeker.bucket(of: output).bucket
        #expect(Set(first.entries).symmetricDifference(second.entries).count == 2)
    }

    @Test(
        "buckets get smaller as more people join, with at least 256 entries each", arguments: [639, 640, 5_000, 41_000])
    func crowded(count: Int) async throws {
        try await crowd(count)
        let key = try await key
        #expect(key.bits == [639: 0, 640: 1, 5_000: 3, 41_000: 7][count])
        var sizes: [Int] = []
        var seen: Set<BucketAnswer.Entry> = []
        for prefix in 0..<UInt32(1 << key.bits) {
            let request = BucketRequest(key: key.id, bits: key.bits, prefixes: [prefix])
            let bucket = try #require(try await seeker.service.look(request, at: Seeker.noon).buckets.first)
            sizes.append(bucket.entries.count)
            seen.formUnion(bucket.entries)
        }
        #expect(sizes.allSatisfy { $0 >= Limits.bucketFloor })
        #expect(seen.count >= count)
        // Hardly any needed padding.
        #expect(seen.count <= count + count / 100)
    }

    @Test("a bucket can be requested with slightly fewer bits than the current number, not with far fewer or more")
    func bits() async throws {
        try await crowd(2_600)
        let account = try await seeker.register(Self.ada)
        let key = try await key
        #expect(key.bits == 3)
        let output = try await seeker.output(of: Self.ada, key: key.id)
        for bits in 1...3 {
            let request = BucketRequest(key: key.id, bits: bits, prefixes: [output.bucket(bits)])
            let bucket = try #require(try await seeker.service.look(request, at: Seeker.noon).buckets.first)
            let found = try #require(bucket.entries.first { $0.tag == output.tag })
            #expect(output.unmasked(found.account) == account)
        }
        for bits in [0, 4] {
            let refused = await refusal {
                try await seeker.service.look(BucketRequest(key: key.id, bits: bits, prefixes: [0]), at: Seeker.noon)
            }
            #expect(refused?.code == .conflict)
        }
    }

    @Test(
        "a padded bucket is always sent whole, because changes would reveal the padding",
        arguments: [0, 1])
    func paddedChanges(step: Int64) async throws {
        try await crowd(Limits.bucketFloor - 2)
        let horizon = try await seeker.database.read { transaction in
            try transaction.query("SELECT horizon FROM discovery_key").first?.integer(0)
        }
        let since = try #require(horizon) + step
        let output = try await seeker.output(of: Self.ada, key: key.id)
        try await seeker.register("mailto:ben@example.com")
        let padded = try await seeker.bucket(of: output, since: since)
        #expect(!padded.answer.isChanges && padded.bucket.entries.count == Limits.bucketFloor)
        try await seeker.register("mailto:cleo@example.com")
        #expect(try await seeker.bucket(of: output, since: since).answer.isChanges)
    }

    @Test("if one bucket is padded and another is not, the device asks again for the missing ones")
    func mixed() async throws {
        try await crowd(700)
        // The second bucket keeps about a hundred.
        try await seeker.database.write { transaction in
            try transaction.execute(
                """
                UPDATE evaluation SET prefix = -prefix - 1
                WHERE prefix < 0 AND sequence > (SELECT horizon + 200 FROM discovery_key)
                """)
        }
        let description = try await seeker.service.describe(for: seeker.account, at: Seeker.noon)
        let key = description.keys[0]
        #expect(key.bits == 1)
        for (asked, told, isChanges) in [([0, 1], [0], true), ([1, 0], [1], false)] as [([UInt32], [UInt32], Bool)] {
            let request = BucketRequest(
                key: key.id, bits: 1, prefixes: asked, since: key.sequence, epoch: description.epoch)
            let answer = try await seeker.service.look(request, at: Seeker.noon)
            #expect(answer.isChanges == isChanges && answer.buckets.map(\.prefix) == told)
        }
    }

    @Test("a device that has read so far gets only the later changes") func changes() async throws {
        try await crowd(Limits.bucketFloor)
        try await seeker.register("mailto:ben@example.com")
        let output = try await seeker.output(of: Self.ada, key: key.id)
        let since = try await seeker.bucket(of: output).answer.sequence
        let nothing = try await seeker.bucket(of: output, since: since)
        #expect(nothing.answer.isChanges && nothing.bucket.entries.isEmpty && nothing.bucket.gone.isEmpty)

        let account = try await seeker.register(Self.ada)
        let joined = try await seeker.bucket(of: output, since: since)
        #expect(joined.bucket.entries.map(\.tag) == [output.tag])
        #expect(output.unmasked(joined.bucket.entries[0].account) == account)

        try await seeker.change { try $0.withdraw(account, in: $1) }
        let left = try await seeker.bucket(of: output, since: joined.answer.sequence)
        #expect(left.bucket.entries.isEmpty && left.bucket.gone == [output.tag])
        #expect(try await seeker.bucket(of: output, since: since).bucket.gone == [output.tag])
    }

    @Test("a device that read before the remembered departures gets everything") func horizon() async throws {
        try await crowd(300)
        let account = try await seeker.register(Self.ada)
        let output = try await seeker.output(of: Self.ada, key: key.id)
        let since = try await seeker.bucket(of: output).answer.sequence
        try await seeker.change { try $0.remove(account, in: $1) }
        let later = Seeker.noon + Limits.tombstones + .seconds(1)
        try await seeker.keepUp(at: later)
        #expect(try await seeker.dump("evaluation").count == 300)
        let told = try await seeker.bucket(of: output, since: since, at: later)
        #expect(!told.answer.isChanges && told.bucket.entries.count >= 300)
        let fresh = try await seeker.bucket(of: output, since: told.answer.sequence, at: later)
        #expect(fresh.answer.isChanges)
        // A sequence that was never given.
        let never = told.answer.sequence + 9_999
        #expect(try await !seeker.bucket(of: output, since: never, at: later).answer.isChanges)
    }

    @Test(
        "after a restore, whole buckets are sent whatever was read before", arguments: [true, false])
    func epochs(isNamed: Bool) async throws {
        try await crowd(Limits.bucketFloor)
        try await seeker.register(Self.ada)
        let description = try await seeker.service.describe(for: seeker.account, at: Seeker.noon)
        let key = description.keys[0]
        var request = BucketRequest(
            key: key.id, bits: 0, prefixes: [0], since: key.sequence, epoch: description.epoch)
        #expect(try await seeker.service.look(request, at: Seeker.noon).isChanges)
        try (seeker.database as? SQLiteDatabase)?.newEpoch()
        if !isNamed { request.epoch = nil }
        let answer = try await seeker.service.look(request, at: Seeker.noon)
        #expect(!answer.isChanges && answer.buckets[0].entries.count == Limits.bucketFloor + 1)
        let after = try await seeker.service.describe(for: seeker.account, at: Seeker.noon)
        #expect(after.epoch != description.epoch && after.keys == description.keys)
    }

    @Test("an answer ends with the bucket that reaches the limit, and the others are requested again") func pages()
        async throws
    {
        try await crowd(200_000)
        let key = try await key
        let all = Array(UInt32(0)..<128)
        let first = try await seeker.service.look(
            BucketRequest(key: key.id, bits: 7, prefixes: all), at: Seeker.noon)
        #expect(first.buckets.count < 128 && first.data.count > Limits.pageBytes)
        let told = first.buckets.map(\.prefix)
        let rest = try await seeker.service.look(
            BucketRequest(key: key.id, bits: 7, prefixes: all.filter { !told.contains($0) }), at: Seeker.noon)
        #expect(told + rest.buckets.map(\.prefix) == all)
    }

    @Test("a malformed request is refused with the position of its fault") func refusals() async throws {
        let id = try await key.id
        for (request, code, path) in [
            (BucketRequest(key: "other", bits: 0, prefixes: [0]), Problem.Code.keyExpired, "$.key"),
            (BucketRequest(key: id, bits: -1, prefixes: [0]), .malformed, "$.bits"),
            (BucketRequest(key: id, bits: 64, prefixes: [0]), .malformed, "$.bits"),
            (BucketRequest(key: id, bits: 0, prefixes: [0, 1]), .malformed, "$.prefixes[1]"),
            (BucketRequest(key: id, bits: 0, prefixes: [0, 0]), .malformed, "$.prefixes"),
            (BucketRequest(key: id, bits: 0, prefixes: [0], since: -1), .malformed, "$.since"),
            (
                BucketRequest(key: id, bits: 0, prefixes: [UInt32](repeating: 0, count: Limits.buckets + 1)), .tooMany,
                "$.prefixes"
            ),
        ] {
            let refused = await refusal { try await seeker.service.look(request, at: Seeker.noon) }
            #expect(refused?.code == code)
            #expect(refused?.path == path)
        }
    }

    @Test(
        "an answer is decoded as it was encoded, and a damaged one is refused",
        arguments: 0..<20 as Range<UInt64>)
    func wire(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        func bucket() -> BucketAnswer.Bucket {
            BucketAnswer.Bucket(
                prefix: UInt32(truncatingIfNeeded: random.next()),
                entries: (0..<Int.random(in: 0...5, using: &random)).map { _ in
                    BucketAnswer.Entry(
                        tag: random.next(), account: MaskedAccount(high: random.next(), low: random.next()))
                }, gone: (0..<Int.random(in: 0...3, using: &random)).map { _ in random.next() })
        }
        let answer = BucketAnswer(
            sequence: Int64.random(in: 0...(.max), using: &random), isChanges: Bool.random(using: &random),
            bits: Int.random(in: 0...20, using: &random), buckets: (0..<Int(seed % 4)).map { _ in bucket() })
        let data = answer.data
        #expect(BucketAnswer(data) == answer)
        for count in 0..<data.count { #expect(BucketAnswer(data.prefix(count)) != answer) }
        #expect(BucketAnswer(Data("KDB3".utf8) + data.dropFirst(4)) == nil)
    }

    @Test("a compact answer has the bytes that the protocol describes") func compactVector() throws {
        let entries = [
            BucketAnswer.Entry(tag: 0xFEDC_BA98_7654_3210, account: MaskedAccount(high: 3, low: 4)),
            BucketAnswer.Entry(tag: 0x0123_4567_89AB_CDEF, account: MaskedAccount(high: 1, low: 2)),
        ]
        let answer = BucketAnswer(
            sequence: 9, isChanges: false, isCompact: true, bits: 1,
            buckets: [BucketAnswer.Bucket(prefix: 1, entries: entries), BucketAnswer.Bucket(prefix: 0, entries: [])])
        #expect(
            Hex.text(answer.data) == """
                4b44423200000000000000090001\
                00000001000000020000000c82468acf1343edcba9876580\
                0000000000000001000000000000000200000000000000030000000000000004\
                000000000000000000000000
                """)
        let read = try #require(BucketAnswer(answer.data))
        #expect(read.data == answer.data)
        #expect(read.buckets[0].entries.map(\.tag) == entries.reversed().map { answer.shown($0.tag) })
    }

    @Test("a compact bucket has the same entries in fewer bytes; changes are never compact") func compact() async throws
    {
        try await crowd(2_600)
        let account = try await seeker.register(Self.ada)
        let (key, output) = try await (key, seeker.output(of: Self.ada, key: key.id))
        var request = BucketRequest(key: key.id, bits: key.bits, prefixes: [output.bucket(key.bits)])
        let plain = try await seeker.service.look(request, at: Seeker.noon)
        request.isCompact = true
        let compact = try await seeker.service.look(request, at: Seeker.noon)
        #expect(!plain.isCompact && compact.isCompact)
        #expect(compact.data.count * 8 < plain.data.count * 7)
        let read = try #require(BucketAnswer(compact.data)?.buckets.first)
        #expect(Set(read.entries.map(\.account)) == Set(plain.buckets[0].entries.map(\.account)))
        let found = read.entries.filter { $0.tag == compact.shown(output.tag) }
        #expect(found.map { output.unmasked($0.account) } == [account])
        request.epoch = try await seeker.service.describe(for: seeker.account, at: Seeker.noon).epoch
        request.since = key.sequence
        let changes = try await seeker.service.look(request, at: Seeker.noon)
        #expect(changes.isChanges && !changes.isCompact)
    }
}
