/// The recovery codes of an account, without the codes themselves: the answer of `GET /v1/recovery-codes`.
public struct RecoveryStatus: Hashable, Sendable, Codable {
    /// The number of codes of the last set; 0 if none was made.
    public var codes: Int
    /// The number of them that were not used.
    public var left: Int
    /// When they were made, in the server's time; nil if none was.
    public var created: Timestamp?

    /// Creates a status with these properties.
    public init(codes: Int, left: Int, created: Timestamp?) {
        (self.codes, self.left, self.created) = (codes, left, created)
    }
}
