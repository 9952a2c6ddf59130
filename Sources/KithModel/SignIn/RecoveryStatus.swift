/// The recovery codes of an account, without the codes themselves: the answer of `GET /v1/recovery-codes`.
public struct RecoveryStatus: Hashable, Sendable, Codable {
    /// The number of codes of the latest set; 0 if there is none.
    public var codes: Int
    /// The number of unused codes of that set.
    public var left: Int
    /// When that set was made, in the server's time; nil if there is none.
    public var created: Timestamp?

    /// Creates a status with these properties.
    public init(codes: Int, left: Int, created: Timestamp?) {
        (self.codes, self.left, self.created) = (codes, left, created)
    }
}
