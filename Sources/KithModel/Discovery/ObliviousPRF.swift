/// The client's part of an oblivious pseudorandom function: OPRF(ristretto255, SHA-512) of RFC 9497 in its mode 0x00.
/// With it, discovery finds out which numbers are registered without revealing the others.
///
/// On Linux the implementation is libsodium (the module `OPRF`). On systems without a libsodium package, such as iOS,
/// the app supplies an implementation over any library with ristretto255. Check such an implementation with the test
/// vectors in the RFC's appendix A.1.1.
public protocol ObliviousPRF: Sendable {
    /// Blinds each input with its own random scalar (`Blind`). The blinded elements reveal nothing about the inputs.
    ///
    /// - Returns: The inputs with their blinds and elements, in the same order.
    /// - Throws: ``ObliviousPRFError`` if an input hashes to the identity element; no such input is known.
    func blind(_ inputs: [[UInt8]]) throws -> [BlindedInput]

    /// Computes the 64 bytes of output for each input (`Finalize`) from the server's evaluated elements.
    ///
    /// - Parameters:
    ///   - inputs: The result of ``blind(_:)``.
    ///   - evaluated: The server's answer to each input, in the same order.
    /// - Returns: The outputs, in the same order.
    /// - Throws: ``ObliviousPRFError`` if one is not a group element in canonical form, or is the identity element.
    func finalize(_ inputs: [BlindedInput], evaluated: [[UInt8]]) throws -> [[UInt8]]
}
