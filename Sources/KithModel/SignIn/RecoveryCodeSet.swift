/// A new set of recovery codes: the answer of `POST /v1/recovery-codes`. Only this answer contains the codes.
public struct RecoveryCodeSet: Hashable, Sendable, Codable {
    /// The codes, such as `7K3QF-9ZW2M-XTC4R-HB8PN`. Each can be used once.
    public var codes: [String]
    /// When the codes were made, in the server's time.
    public var created: Timestamp

    /// Creates a set with these properties.
    public init(codes: [String], created: Timestamp) { (self.codes, self.created) = (codes, created) }
}
