/// The reason why the server refused a mutation. A newer server may have further codes.
public struct RejectionCode: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The code in its encoded form.
    public let rawValue: String

    /// Creates a code from its name. This version need not know it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// The account may not change this record, or cannot read its feed any more.
    public static let forbidden = RejectionCode(rawValue: "forbidden")
    /// The record was deleted before the edit arrived.
    public static let deleted = RejectionCode(rawValue: "deleted")
    /// There is no such record.
    public static let notFound = RejectionCode(rawValue: "notFound")
    /// A list of another account, which the account was never in, has the id of the new list.
    public static let idTaken = RejectionCode(rawValue: "idTaken")
    /// Another device has changed the record or list meanwhile, so it is not removed in favour of one that lacks the change.
    public static let changed = RejectionCode(rawValue: "changed")
    /// A field breaks its rules.
    public static let invalid = RejectionCode(rawValue: "invalid")
    /// The list or the account is full.
    public static let full = RejectionCode(rawValue: "full")
    /// Another mutation of the same group was refused.
    public static let group = RejectionCode(rawValue: "group")
    /// The mutation may already have been applied: a copy of the device may have sent it, or it was being sent when the
    /// device's file was damaged.
    public static let repeated = RejectionCode(rawValue: "repeated")
    /// The owner cannot leave; they have to hand the list over or remove it.
    public static let ownerStays = RejectionCode(rawValue: "ownerStays")
    /// An account cannot be a contact of itself.
    public static let yourself = RejectionCode(rawValue: "yourself")
    /// There is no such account, or it was deleted.
    public static let unknown = RejectionCode(rawValue: "unknown")
    /// The two accounts are already connected.
    public static let alreadyConnected = RejectionCode(rawValue: "alreadyConnected")
    /// There is no request of theirs to accept; it may have been cancelled.
    public static let noRequest = RejectionCode(rawValue: "noRequest")
    /// The request was sent a short time ago. The sentence says how long to wait.
    public static let tooSoon = RejectionCode(rawValue: "tooSoon")
    /// The invitation was accepted, so it cannot be sent again.
    public static let alreadyAccepted = RejectionCode(rawValue: "alreadyAccepted")
    /// The daily quota is used up. The sentence says when the next day begins.
    public static let quotaExceeded = RejectionCode(rawValue: "quotaExceeded")
    /// Another account has this share code.
    public static let codeTaken = RejectionCode(rawValue: "codeTaken")
    /// A share code has a character other than a letter A to Z, a digit or a hyphen.
    public static let codeIllegal = RejectionCode(rawValue: "codeIllegal")
    /// A share code contains a word that the programme reserves.
    public static let codeReserved = RejectionCode(rawValue: "codeReserved")
    /// A share code has too few or too many letters and digits.
    public static let codeLength = RejectionCode(rawValue: "codeLength")
    /// The server has no sharing programme with this name.
    public static let noProgramme = RejectionCode(rawValue: "noProgramme")
}
