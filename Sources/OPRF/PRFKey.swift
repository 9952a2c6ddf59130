import CSodium

/// The secret key of an oblivious pseudorandom function: what only the server has.
public struct PRFKey: Sendable {
    /// Bytes of a key.
    public static let size = Scalar.size

    private let scalar: Scalar

    /// A key of the operating system's randomness.
    public init() { scalar = Scalar(Randomness.system) }

    /// The key of these 32 bytes; nil if they are no reduced scalar, or zero.
    public init?(bytes: [UInt8]) {
        guard let scalar = Scalar(bytes) else { return nil }
        self.scalar = scalar
    }

    /// The key that a seed gives (`DeriveKeyPair`: RFC 9497, section 3.2.1).
    ///
    /// - Parameters:
    ///   - seed: 32 bytes.
    ///   - info: What the key is for, at most 65,535 bytes.
    /// - Returns: nil if no key comes of it, as happens never.
    public static func derived(seed: [UInt8], info: [UInt8]) -> PRFKey? {
        let input = seed + [UInt8(truncatingIfNeeded: info.count >> 8), UInt8(truncatingIfNeeded: info.count)] + info
        for counter in UInt8.min...UInt8.max {
            let uniform = MessageExpansion.expand(input + [counter], for: "DeriveKeyPair", 64)
            if let scalar = Scalar(reducing: uniform) { return PRFKey(scalar: scalar) }
        }
        return nil
    }

    private init(scalar: Scalar) { self.scalar = scalar }

    /// The 32 bytes of the key. Whoever has them can try every number there is.
    public var bytes: [UInt8] { scalar.bytes }

    /// Whether these bytes are an element in canonical form other than the identity: what ``evaluate(_:)`` takes.
    public func accepts(_ element: [UInt8]) -> Bool { GroupElement(element) != nil }

    /// What a client's blinded element becomes (`BlindEvaluate`); nil if it is no element in canonical form, or the
    /// identity.
    public func evaluate(_ element: [UInt8]) -> [UInt8]? {
        GroupElement(element).map { (scalar * $0).bytes }
    }

    /// The output of an input that needs no blinding (`Evaluate`); nil if it hashes to the identity.
    public func output(of input: [UInt8]) -> [UInt8]? {
        GroupElement(hashing: input).map { PRFOutput.hash(input, scalar * $0) }
    }
}

/// A key that is printed by mistake tells nothing.
extension PRFKey: CustomStringConvertible, CustomReflectable {
    /// The type's name, and nothing of the key.
    public var description: String { "PRFKey" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
