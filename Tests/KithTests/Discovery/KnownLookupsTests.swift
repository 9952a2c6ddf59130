import Foundation
import Kith
import KithDiscovery
import KithModel
import Testing

@Suite("Known lookups") struct KnownLookupsTests {
    private var random = SplitMix64(seed: 11)

    private func identity(_ number: Int) throws -> Identity {
        .phone(try #require(E164("+4366400\(1000 + number)")))
    }

    @Test("are equal to those that are read again, in any order of changes") mutating func changes() throws {
        let output = try #require(DiscoveryOutput([UInt8](repeating: 7, count: 64)))
        let accounts: [AccountID?] = [nil, AccountID(UUID(high: 1, low: 1)), AccountID(UUID(high: 1, low: 2))]
        var known = KnownLookups()
        var plain: [Identity: Lookup] = [:]
        for step in 0..<2_000 {
            let identity = try identity(Int.random(in: 0..<20, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                known.forget([identity])
                plain[identity] = nil
            case 1:
                let time = Timestamp(milliseconds: Int64(step))
                known.note(handedIn: [identity], at: time)
                plain[identity]?.handedIn = time
            case 2 where step % 50 == 0:
                known.forgetBuckets()
                for identity in plain.keys { plain[identity]?.isLooked = false }
            default:
                let lookup = Lookup(
                    identity: identity, key: ["new", "old"].randomElement(using: &random) ?? "new", output: output,
                    isLooked: Bool.random(using: &random), match: accounts.randomElement(using: &random) ?? nil)
                known.put(lookup)
                plain[identity] = lookup
            }
            var again = KnownLookups(plain.values)
            #expect(known.matches() == again.matches())
            #expect(known.identities == Set(plain.keys) && known.isLooked == plain.values.allSatisfy(\.isLooked))
            for key in ["new", "old"] {
                #expect(Set(known.under(key)) == Set(plain.values.filter { $0.key == key }))
                #expect(known.holds(key) == again.holds(key) && known.holdsOnly(key) == again.holdsOnly(key))
            }
            let late = Timestamp(milliseconds: Int64(step) - 50)
            #expect(Set(known.handedIn(since: late)) == Set(again.handedIn(since: late)))
        }
    }
}
