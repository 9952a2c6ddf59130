/// A request for a code that proves a number or an email: `POST /v1/codes`.
///
/// It contains either an identity, or a country and a number in that country's notation. In the second case the server parses
/// the number, so that an app needs no library for that.
package struct CodeRequest: Hashable, Sendable, Codable {
    /// The identity of the code, chosen by the device: a request that is repeated sends one message.
    package var id: CodeID
    /// The number or the email to prove; nil if ``number`` is set.
    package var identity: Identity?
    /// The country of the notation of ``number``; nil if ``identity`` is set.
    package var country: Region?
    /// The number in the notation of ``country``, with or without a country code: `0664 1234567`; nil if ``identity`` is set.
    package var number: String?
    /// The wanted languages of the message, best first, as tags such as `de-AT` (RFC 5646).
    package var languages: [String]?
    /// The number or email that the new one replaces; nil to keep all. One transaction makes both changes, after the right
    /// code was entered.
    package var replaces: Identity?
    /// The name of the device, which the message and the list of sessions show.
    package var device: String?

    /// Creates a request for an identity.
    package init(
        id: CodeID, identity: Identity, replaces: Identity? = nil, languages: [String]? = nil, device: String? = nil
    ) {
        (self.id, self.identity, self.replaces) = (id, identity, replaces)
        (self.languages, self.device) = (languages, device)
    }

    /// Creates a request for a number in the notation of a country.
    package init(
        id: CodeID, number: String, in country: Region, replaces: Identity? = nil, languages: [String]? = nil,
        device: String? = nil
    ) {
        (self.id, self.number, self.country, self.replaces) = (id, number, country, replaces)
        (self.languages, self.device) = (languages, device)
    }

    /// Whether both are to prove the same identity, and to replace the same one.
    package func provesSame(as other: CodeRequest) -> Bool {
        identity == other.identity && number == other.number && country == other.country && replaces == other.replaces
    }
}

/// The identity of a code.
public typealias CodeID = RecordID<SentCode>
