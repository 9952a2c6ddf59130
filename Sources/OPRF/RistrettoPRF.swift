public import KithModel

/// The client's side of OPRF(ristretto255, SHA-512), with libsodium.
public struct RistrettoPRF: ObliviousPRF {
    private let random: @Sendable () -> [UInt8]

    /// Creates a client with random blinds from the operating system.
    public init() { random = Randomness.system }

    /// Creates a client that derives each blind from 64 bytes of `random`, for tests.
    package init(random: @escaping @Sendable () -> [UInt8]) { self.random = random }

    /// Blinds each input with a separate random scalar.
    public func blind(_ inputs: [[UInt8]]) throws -> [BlindedInput] {
        try inputs.enumerated().map { index, input in try blind(input, Scalar(random), index) }
    }

    /// Blinds one input with a given scalar, as in the RFC's test vectors; nil if the scalar is invalid.
    package func blind(_ input: [UInt8], with scalar: [UInt8]) throws -> BlindedInput? {
        try Scalar(scalar).map { try blind(input, $0, 0) }
    }

    private func blind(_ input: [UInt8], _ scalar: Scalar, _ index: Int) throws -> BlindedInput {
        guard let element = GroupElement(hashing: input) else { throw ObliviousPRFError(index: index) }
        return BlindedInput(input: input, blind: scalar.bytes, element: (scalar * element).bytes)
    }

    /// The 64 bytes of output for each input, from the element that the server evaluated.
    public func finalize(_ inputs: [BlindedInput], evaluated: [[UInt8]]) throws -> [[UInt8]] {
        guard inputs.count == evaluated.count else {
            throw ObliviousPRFError(index: min(inputs.count, evaluated.count))
        }
        return try zip(inputs, evaluated).enumerated().map { index, pair in
            guard let scalar = Scalar(pair.0.blind), let element = GroupElement(pair.1) else {
                throw ObliviousPRFError(index: index)
            }
            return PRFOutput.hash(pair.0.input, scalar.inverse * element)
        }
    }
}
