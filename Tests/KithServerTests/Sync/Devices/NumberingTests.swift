import Foundation
import KithModel
import KithServer
import Testing

@Suite("Numbering") struct NumberingTests {
    /// A server that took `last` mutations with the hashes h1, h2 … and remembers all of them.
    private static func server(_ last: Int64) -> Numbering {
        Numbering(last: last, hashes: Dictionary(uniqueKeysWithValues: (0..<last).map { ($0 + 1, "h\($0 + 1)") }))
    }

    /// A device that knows `a`, sends as many as `m` says, and once gave `s`.
    private static func report(a: Int64, m: Int64, s: Int64, otherAt: Int64? = nil) -> Numbering.Report {
        func hash(_ number: Int64) -> String { number == otherAt ? "other" : "h\(number)" }
        return Numbering.Report(
            acknowledged: Acknowledgement(number: a, hash: a == 0 ? "" : hash(a)), sent: s,
            hashes: a < m ? ((a + 1)...m).map(hash) : [])
    }

    @Test("last taken below acknowledged: the server was restored from an older backup") func forgotten() {
        #expect(Self.server(4).decision(on: Self.report(a: 5, m: 7, s: 7)) == .forgotten)
        #expect(Self.server(0).decision(on: Self.report(a: 1, m: 1, s: 1)) == .forgotten)
    }

    @Test("last taken above sent: two devices use this identity") func beyondSent() {
        #expect(Self.server(8).decision(on: Self.report(a: 5, m: 7, s: 7)) == .copied(taken: [6, 7]))
        #expect(Self.server(8).decision(on: Self.report(a: 7, m: 7, s: 7)) == .copied(taken: []))
    }

    @Test("a different hash at the acknowledged number: two devices use this identity") func otherAcknowledged() {
        #expect(Self.server(5).decision(on: Self.report(a: 5, m: 7, s: 7, otherAt: 5)) == .copied(taken: []))
    }

    @Test("a different hash at a repeated number means a copied device, which learns which of its own were taken")
    func otherRepeated() {
        #expect(Self.server(7).decision(on: Self.report(a: 4, m: 7, s: 7, otherAt: 6)) == .copied(taken: [5, 7]))
    }

    @Test("last taken within the request: mutations up to it were taken, later ones are new") func repeated() {
        #expect(Self.server(5).decision(on: Self.report(a: 5, m: 7, s: 7)) == .recognised(from: 0))
        #expect(Self.server(6).decision(on: Self.report(a: 5, m: 7, s: 7)) == .recognised(from: 1))
        #expect(Self.server(7).decision(on: Self.report(a: 5, m: 7, s: 7)) == .recognised(from: 2))
        #expect(Self.server(0).decision(on: Self.report(a: 0, m: 2, s: 2)) == .recognised(from: 0))
    }

    @Test("last taken beyond the request: it is a part of an earlier one") func part() {
        #expect(Self.server(7).decision(on: Self.report(a: 4, m: 5, s: 7)) == .recognised(from: 1))
        #expect(Self.server(7).decision(on: Self.report(a: 4, m: 4, s: 9)) == .recognised(from: 0))
    }

    @Test("a number without a stored hash never counts as different") func unremembered() {
        var server = Self.server(7)
        server.hashes = [7: "h7"]
        #expect(server.decision(on: Self.report(a: 4, m: 7, s: 7, otherAt: 5)) == .recognised(from: 3))
    }

    @Test("agrees with the protocol's table, for all small numbers and one different hash") func exhaustive() {
        for a in Int64(0)...4 {
            for m in a...5 {
                for s in m...6 {
                    for last in Int64(0)...7 {
                        for other in Int64(0)...7 {
                            let decision = Self.server(last).decision(on: Self.report(a: a, m: m, s: s, otherAt: other))
                            let differs = other > 0 && other >= a && other <= min(last, m)
                            let expected: DeviceStanding =
                                last < a ? .forgotten : last > s || differs ? .copied : .recognised
                            #expect(decision.standing == expected, "a \(a) m \(m) s \(s) L \(last) other \(other)")
                            if case .recognised(let start) = decision { #expect(Int64(start) == min(last, m) - a) }
                        }
                    }
                }
            }
        }
    }

    @Test("sixteen bytes of the hash of a mutation are stored") func hash() throws {
        let id = RecordID<Never>(.init(high: 1, low: 2))
        let mutation = Mutation(
            id: id.retyped(), number: 1, feed: id.retyped(), collection: .items, record: id, seen: 0, age: 0,
            change: .delete)
        #expect(Data(base64URL: mutation.hash)?.count == 16)
    }
}
