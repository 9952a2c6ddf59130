import Foundation
import Kith
import KithDiscovery
import KithModel
import Testing

@Suite("Requests of discovery with a filter") struct FilterPlanTests {
    /// The key of a service with 100,000 identities: 256 buckets with 390 each.
    private static let key = DiscoveryDescription.Key(
        id: "key", since: Timestamp(milliseconds: 0), until: nil, bits: 8, sequence: 100, identities: 100_000)

    /// A lookup whose output depends only on its number.
    private func lookup(_ number: Int, isLooked: Bool = false, match: AccountID? = nil) throws -> Lookup {
        var random = SplitMix64(seed: UInt64(number))
        let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
        return Lookup(
            identity: .phone(try #require(E164("+43664\(1_000_000 + number)"))), key: Self.key.id,
            output: try #require(DiscoveryOutput(bytes)), isLooked: isLooked, match: match)
    }

    private func account(_ number: Int) -> AccountID { AccountID(UUID(high: 7, low: UInt64(number))) }

    /// A filter with these lookups, among many others.
    private func filter(_ members: [Lookup], sequence: Int64 = 100) -> TagFilter {
        var random = SplitMix64(seed: 1)
        return TagFilter(members.map(\.output.tag) + (0..<1_000).map { _ in random.next() }, sequence: sequence)
    }

    /// The server's answer, if these are registered, each with the account of its place.
    private func answer(
        _ request: BucketRequest, _ members: [Lookup], isChanges: Bool = false, sequence: Int64 = 100
    ) -> BucketAnswer {
        var answer = BucketAnswer(
            sequence: sequence, isChanges: isChanges, isCompact: true, bits: request.bits, buckets: [])
        answer.buckets = request.prefixes.map { prefix in
            let entries = members.enumerated().filter { $0.element.output.bucket(request.bits) == prefix }
            return BucketAnswer.Bucket(
                prefix: prefix,
                entries: entries.map { index, member in
                    BucketAnswer.Entry(
                        tag: answer.shown(member.output.tag), account: member.output.masked(account(index)))
                })
        }
        return answer
    }

    private func plan(
        _ lookups: [Lookup], since: Int64? = nil, key: DiscoveryDescription.Key = Self.key, isConnecting: Bool = true
    ) -> BucketPlan {
        BucketPlan(KnownLookups(lookups), under: key, in: "now", since: since, isConnecting: isConnecting)
    }

    @Test("only a look that connects reads a filter, if there is one of at most half the size of the buckets")
    func choice() throws {
        let many = try (0..<200).map { try lookup($0) }
        #expect(plan(many).wantsFilter)
        #expect(!plan(many, isConnecting: false).wantsFilter)
        var old = Self.key
        old.identities = nil
        #expect(!plan(many, key: old).wantsFilter)
        for identities in [-1, 0, Int.max] {
            old.identities = identities
            #expect(!plan(many, key: old).wantsFilter)
        }
        // 170 KB, and 8 KB for a bucket.
        #expect(try !plan((0..<40).map { try lookup($0) }).wantsFilter)
        #expect(try plan((0..<60).map { try lookup($0) }).wantsFilter)
        // The next day, only a few numbers are new.
        let known = try (0..<200).map { try lookup($0, isLooked: $0 >= 5) }
        #expect(!plan(known, since: 90).wantsFilter)
        var skipped = plan(many)
        let whole = skipped.whole
        skipped.skipFilter()
        #expect(!skipped.wantsFilter && skipped.whole == whole)
    }

    @Test("after the filter, the buckets of the hits are read among 16 decoys, with the same results as without")
    func hits() throws {
        let lookups = try (0..<200).map { try lookup($0) }
        let members = Array(lookups.prefix(20))
        var plan = plan(lookups)
        plan.take(filter(members))
        let request = try #require(plan.next)
        let hits = Set(members.map { $0.output.bucket(8) })
        #expect(request.since == nil && hits.isSubset(of: request.prefixes))
        #expect(request.prefixes == request.prefixes.sorted())
        // One more, if a number is found by mistake.
        #expect((hits.count + 16...hits.count + 17).contains(request.prefixes.count))
        let results = plan.take(answer(request, members))
        #expect(plan.next == nil && plan.reached == 100)
        #expect(results.count == 200 && results.allSatisfy(\.isLooked))
        for (index, lookup) in lookups.enumerated() {
            let result = try #require(results.first { $0.identity == lookup.identity })
            #expect(result.match == (index < 20 ? account(index) : nil))
        }
    }

    @Test("decoys differ with the address book, and are the same if a look is repeated") func decoys() throws {
        let lookups = try (0..<200).map { try lookup($0) }
        func asked(_ lookups: [Lookup]) -> [UInt32] {
            var plan = plan(lookups)
            plan.take(filter([]))
            return plan.whole
        }
        let first = asked(lookups)
        #expect(first.count >= 16 && asked(lookups.reversed()) == first)
        #expect(asked(Array(lookups.dropLast())) != first)
    }

    @Test("Trap: A number that seems to be in the filter is found – its bucket decides") func mistaken() throws {
        let lookups = try (0..<200).map { try lookup($0) }
        var plan = plan(lookups)
        plan.take(filter(lookups))
        let request = try #require(plan.next)
        #expect(plan.take(answer(request, [])).allSatisfy { $0.isLooked && $0.match == nil })
        #expect(plan.next == nil)
    }

    @Test("Trap: The filter is older than the description – the changes since the filter are read")
    func old() throws {
        let lookups = try (0..<200).map { try lookup($0) }
        let members = Array(lookups.prefix(20))
        var plan = plan(lookups)
        plan.take(filter(Array(members.dropFirst()), sequence: 90))
        let request = try #require(plan.next)
        #expect(plan.take(answer(request, members)).filter { $0.match != nil }.count == 19)
        let changes = try #require(plan.next)
        #expect(changes.since == 90 && changes.epoch == "now")
        #expect(Set(changes.prefixes).isDisjoint(with: request.prefixes))
        #expect(Set(lookups.map { $0.output.bucket(8) }).isSubset(of: changes.prefixes + request.prefixes))
        let results = plan.take(answer(changes, members, isChanges: true, sequence: 101))
        #expect(results.first { $0.identity == members[0].identity }?.match == account(0))
        #expect(results.count { $0.identity == members[0].identity } == 1)
        #expect(plan.next == nil && plan.reached == 100)
    }

    @Test("Trap: The filter is older than what has been read – known matches stay, and the oldest sequence counts")
    func older() throws {
        let known = try (0..<100).map { try lookup($0, isLooked: true, match: $0 == 0 ? account(0) : nil) }
        let new = try (100..<300).map { try lookup($0) }
        var plan = plan(known + new, since: 95)
        #expect(plan.wantsFilter)
        plan.take(filter([new[0]], sequence: 80))
        let request = try #require(plan.next)
        var results = plan.take(answer(request, [known[0], new[0]]))
        let changes = try #require(plan.next)
        #expect(changes.since == 80)
        results += plan.take(answer(changes, [], isChanges: true))
        #expect(plan.next == nil && plan.reached == 100)
        #expect(!results.contains { $0.identity == known[0].identity })
        #expect(results.count { $0.match == nil } == 199 && results.count { $0.match != nil } == 1)
    }

    @Test("Trap: Somebody joins between the description and the filter – the next look continues after the filter")
    func newer() throws {
        let lookups = try (0..<200).map { try lookup($0) }
        var plan = plan(lookups)
        plan.take(filter([], sequence: 103))
        let request = try #require(plan.next)
        #expect(plan.take(answer(request, [], sequence: 103)).count == 200)
        #expect(plan.next == nil && plan.reached == 103)
    }

    @Test("Trap: A look breaks between two answers – numbers outside the filter are results only at the end")
    func interrupted() throws {
        let lookups = try (0..<200).map { try lookup($0) }
        let members = Array(lookups.prefix(20))
        var plan = plan(lookups)
        plan.take(filter(members))
        let request = try #require(plan.next)
        var part = request
        part.prefixes = Array(request.prefixes.prefix(4))
        let first = plan.take(answer(part, members))
        let others = Set(lookups.filter { part.prefixes.contains($0.output.bucket(8)) }.map(\.identity))
        #expect(Set(first.map(\.identity)).isSubset(of: others))
        let rest = plan.take(answer(try #require(plan.next), members))
        #expect(plan.next == nil && first.count + rest.count == 200)
    }
}
