/// Why the server refused a mutation. Open: a newer server may know more reasons.
public struct RejectionCode: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The code as it travels.
    public let rawValue: String

    /// The code of this name, whether this version knows it or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// The account may not change this record, or may no longer read its feed.
    public static let forbidden = RejectionCode(rawValue: "forbidden")
    /// The record was deleted before the edit arrived.
    public static let deleted = RejectionCode(rawValue: "deleted")
    /// There is no such record.
    public static let notFound = RejectionCode(rawValue: "notFound")
    /// A field breaks its rules.
    public static let invalid = RejectionCode(rawValue: "invalid")
    /// The list, or the account, is full.
    public static let full = RejectionCode(rawValue: "full")
    /// Another mutation of the same group was refused.
    public static let group = RejectionCode(rawValue: "group")
    /// It was sent by a copy of another device, and may have counted before.
    public static let repeated = RejectionCode(rawValue: "repeated")
    /// The owner cannot leave: the list is handed over or removed first.
    public static let ownerStays = RejectionCode(rawValue: "ownerStays")
    /// Nobody is in their own network.
    public static let yourself = RejectionCode(rawValue: "yourself")
    /// There is no such account, or it was deleted.
    public static let unknown = RejectionCode(rawValue: "unknown")
    /// The two are connected already.
    public static let alreadyConnected = RejectionCode(rawValue: "alreadyConnected")
    /// There is no request of theirs to accept; perhaps it was cancelled.
    public static let noRequest = RejectionCode(rawValue: "noRequest")
    /// A request was sent shortly before; the sentence says when it can be sent again.
    public static let tooSoon = RejectionCode(rawValue: "tooSoon")
    /// Today's share of something is used up; the sentence says when there is more.
    public static let quotaExceeded = RejectionCode(rawValue: "quotaExceeded")
}
