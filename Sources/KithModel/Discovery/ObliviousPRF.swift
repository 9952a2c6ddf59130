/// What finds out which numbers are registered without showing them: the client's half of an oblivious pseudorandom
/// function, OPRF(ristretto255, SHA-512) of RFC 9497 in its mode 0x00.
///
/// On Linux that is libsodium (the module `OPRF`). Where it is no system package, as on iOS, an app hands in one of its
/// own, over whatever has ristretto255; the vectors of the RFC's appendix A.1.1 say whether it is right.
public protocol ObliviousPRF: Sendable {
    /// Blinds each input with a random scalar of its own (`Blind`). What comes out says nothing of what went in.
    ///
    /// - Returns: The inputs with their blinds and elements, in the same order.
    /// - Throws: ``ObliviousPRFError``, if an input hashes to the identity; nobody knows one that does.
    func blind(_ inputs: [[UInt8]]) throws -> [BlindedInput]

    /// The 64 bytes of output of each input (`Finalize`), from what the server made of its element.
    ///
    /// - Parameters:
    ///   - inputs: As ``blind(_:)`` returned them.
    ///   - evaluated: What the server answered to each, in the same order.
    /// - Returns: The outputs, in the same order.
    /// - Throws: ``ObliviousPRFError``, if one is no element of the group in canonical form, or the identity.
    func finalize(_ inputs: [BlindedInput], evaluated: [[UInt8]]) throws -> [[UInt8]]
}

/// An input on its way: what stays here, and what the server is shown.
public struct BlindedInput: Sendable {
    /// The input. It stays here.
    public let input: [UInt8]
    /// The scalar that it was blinded with, 32 bytes. It stays here, and is used once.
    public let blind: [UInt8]
    /// What the server is shown: 32 bytes.
    public let element: [UInt8]

    /// An input with its blind and its blinded element.
    public init(input: [UInt8], blind: [UInt8], element: [UInt8]) {
        self.input = input
        self.blind = blind
        self.element = element
    }
}

/// Something that an oblivious pseudorandom function does not take.
public struct ObliviousPRFError: Error, Hashable, Sendable {
    /// Which of the inputs or elements it was, counted from 0.
    public let index: Int

    /// The error of this one.
    public init(index: Int) { self.index = index }
}
