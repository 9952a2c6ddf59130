/// A code on its way to a number or an email: the answer of `POST /v1/codes`.
///
/// It is the same whether or not an account has the identity.
public struct SentCode: Hashable, Sendable, Codable {
    /// The identity of the code.
    public var id: CodeID
    /// The number or email to which the code was sent, in canonical form; nil from older servers.
    public var identity: Identity?
    /// The number of digits.
    public var digits: Int
    /// When the code expires, in the server's time.
    public var expires: Timestamp
    /// From when another code can be requested for the same identity, in the server's time.
    public var again: Timestamp

    /// Creates an answer with these properties.
    public init(id: CodeID, identity: Identity? = nil, digits: Int, expires: Timestamp, again: Timestamp) {
        (self.id, self.identity, self.digits, self.expires, self.again) = (id, identity, digits, expires, again)
    }
}
