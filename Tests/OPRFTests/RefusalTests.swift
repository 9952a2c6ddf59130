import KithModel
import OPRF
import Testing

@Suite("What the OPRF accepts and refuses") struct RefusalTests {
    /// The order of the group, little-endian: 2²⁵² + 27742317777372353535851937790883648493.
    private static let order = bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
    private static let identity = [UInt8](repeating: 0, count: 32)

    /// Encodings that RFC 9496, appendix A.2, lists as bad.
    static let badElements = [
        // Not canonical: field elements of p and more.
        "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        // An element of RFC 9497, appendix A.1.1, with the highest bit, which stands for no part of a field element.
        "609a0ae68c15a3cf6903766461307e5c8bb2f95e7e6550e1ffa2dc99e41280bc",
        // Negative.
        "0100000000000000000000000000000000000000000000000000000000000000",
        "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        // No square.
        "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
        // Of another length.
        "", "609a0ae68c15a3cf6903766461307e5c8bb2f95e7e6550e1ffa2dc99e41280",
        "609a0ae68c15a3cf6903766461307e5c8bb2f95e7e6550e1ffa2dc99e412803c00",
    ]

    @Test("A key that is printed by mistake reveals nothing") func printed() throws {
        var number = [UInt8](repeating: 0, count: 32)
        number[0] = 173
        let key = try #require(PRFKey(bytes: number))
        var dumped = ""
        dump([key], to: &dumped)
        for text in ["\(key)", "\([key])", String(reflecting: [key]), dumped] {
            #expect(text.contains("PRFKey"))
            #expect(!text.contains("173"))
        }
    }

    @Test("An element that is not canonical is refused, by the server and by the client", arguments: badElements)
    func elements(digits: String) throws {
        let client = RistrettoPRF()
        #expect(PRFKey().evaluate(bytes(digits)) == nil)
        let blinded = try client.blind([[1], [2]])
        let good = try #require(PRFKey().evaluate(blinded[0].element))
        #expect(throws: ObliviousPRFError(index: 1)) {
            try client.finalize(blinded, evaluated: [good, bytes(digits)])
        }
    }

    @Test("The identity is refused, by the server and by the client") func identity() throws {
        #expect(PRFKey().evaluate(Self.identity) == nil)
        let blinded = try RistrettoPRF().blind([[1]])
        #expect(throws: ObliviousPRFError(index: 0)) {
            try RistrettoPRF().finalize(blinded, evaluated: [Self.identity])
        }
    }

    @Test("Zero, the group's order and greater numbers are not valid keys or blinds") func scalars() throws {
        var below = Self.order
        below[0] -= 1
        var above = Self.order
        above[0] += 1
        #expect(PRFKey(bytes: below) != nil)
        for scalar in [Self.identity, Self.order, above, [UInt8](repeating: 0xFF, count: 32), Array(below.dropLast())] {
            #expect(PRFKey(bytes: scalar) == nil)
            #expect(try RistrettoPRF().blind([7], with: scalar) == nil)
        }
    }

    @Test("There must be as many elements as were blinded") func counts() throws {
        let blinded = try RistrettoPRF().blind([[1], [2]])
        let evaluated = try blinded.map { try #require(PRFKey().evaluate($0.element)) }
        #expect(throws: ObliviousPRFError(index: 1)) {
            try RistrettoPRF().finalize(blinded, evaluated: Array(evaluated.prefix(1)))
        }
        #expect(throws: ObliviousPRFError(index: 1)) {
            try RistrettoPRF().finalize(Array(blinded.prefix(1)), evaluated: evaluated)
        }
    }

    @Test("Blinding changes the element and never the output", arguments: 0..<40 as Range<UInt64>)
    func blinding(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let key = try #require(PRFKey.derived(seed: random.bytes(32), info: random.bytes(Int(seed))))
        let inputs = (0..<5).map { _ in random.bytes(Int.random(in: 0...80, using: &random)) }
        let first = try RistrettoPRF().blind(inputs)
        let second = try RistrettoPRF().blind(inputs)
        #expect(Set(first.map(\.element)).isDisjoint(with: second.map(\.element)))
        func outputs(_ blinded: [BlindedInput]) throws -> [[UInt8]] {
            let evaluated = try blinded.map { try #require(key.evaluate($0.element)) }
            return try RistrettoPRF().finalize(blinded, evaluated: evaluated)
        }
        #expect(try outputs(first) == outputs(second))
        #expect(try outputs(first) == inputs.map { try #require(key.output(of: $0)) })
        #expect(Set(try outputs(first)).count == Set(inputs).count)
    }

    @Test("Another key gives other outputs") func keys() {
        #expect(PRFKey().output(of: [1]) != PRFKey().output(of: [1]))
    }
}

extension SplitMix64 {
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
