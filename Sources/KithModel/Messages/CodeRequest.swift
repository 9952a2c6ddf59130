/// A request for a code that proves a number or an email: `POST /v1/codes`.
public struct CodeRequest: Hashable, Sendable, Codable {
    /// The identity of the code, chosen by the device: a request that is repeated sends one message.
    public var id: CodeID
    /// The number or the email to prove.
    public var identity: Identity
    /// The wanted languages of the message, best first, as tags such as `de-AT` (RFC 5646).
    public var languages: [String]?
    /// The name of the device, which the message and the list of sessions show.
    public var device: String?

    /// Creates a request with these properties.
    public init(id: CodeID, identity: Identity, languages: [String]? = nil, device: String? = nil) {
        (self.id, self.identity, self.languages, self.device) = (id, identity, languages, device)
    }
}

/// The identity of a code.
public typealias CodeID = RecordID<SentCode>
