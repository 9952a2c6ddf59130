/// The secret key of an oblivious pseudorandom function. Only the server has it.
public struct PRFKey: Sendable {
    /// The size of a key in bytes.
    public static let size = Scalar.size

    private let scalar: Scalar

    /// A new key from the operating system's random number generator.
    public init() { scalar = Scalar(Randomness.system) }

    /// The key with these 32 bytes; nil if they are zero or not a reduced scalar.
    public init?(bytes: [UInt8]) {
        guard let scalar = Scalar(bytes) else { return nil }
        self.scalar = scalar
    }

    /// The key that is derived from a seed (`DeriveKeyPair`: RFC 9497, section 3.2.1).
    ///
    /// - Parameters:
    ///   - seed: 32 bytes.
    ///   - info: The purpose of the key, at most 65,535 bytes.
    /// - Returns: nil if no key can be derived, which never happens in practice.
    public static func derived(seed: [UInt8], info: [UInt8]) -> PRFKey? {
        let input = seed + PRFOutput.withLength(info)
        for counter in UInt8.min...UInt8.max {
            let uniform = MessageExpansion.expand(input + [counter], for: "DeriveKeyPair", 64)
            if let scalar = Scalar(reducing: uniform) { return PRFKey(scalar: scalar) }
        }
        return nil
    }

    private init(scalar: Scalar) { self.scalar = scalar }

    /// The 32 bytes of the key. Anyone who has them can test every number.
    public var bytes: [UInt8] { scalar.bytes }

    /// Whether these bytes are an element in canonical form other than the identity, as ``evaluate(_:)`` requires.
    public func accepts(_ element: [UInt8]) -> Bool { GroupElement(element) != nil }

    /// Evaluates a client's blinded element (`BlindEvaluate`). Nil if it is not an element in canonical form, or is the
    /// identity.
    public func evaluate(_ element: [UInt8]) -> [UInt8]? {
        GroupElement(element).map { (scalar * $0).bytes }
    }

    /// The output for an input without blinding (`Evaluate`); nil if the input hashes to the identity.
    public func output(of input: [UInt8]) -> [UInt8]? {
        GroupElement(hashing: input).map { PRFOutput.hash(input, scalar * $0) }
    }
}

/// Keeps the key out of output if it is printed by mistake.
extension PRFKey: CustomStringConvertible, CustomReflectable {
    /// The type's name, without the key.
    public var description: String { "PRFKey" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
