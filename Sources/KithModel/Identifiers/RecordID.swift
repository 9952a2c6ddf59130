public import Foundation

/// The identity of one record. Identities of different kinds of record are different types.
///
/// Kith creates UUIDs of version 7 on the device that creates the record, so no server is needed. They sort by creation
/// time. An app can choose another UUID. The text is in lower case, as RFC 9562, section 4, recommends.
public struct RecordID<Record>: Hashable, Sendable {
    /// The UUID, without the kind of record.
    public let uuid: UUID

    /// Creates an identity with this UUID.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Parses an identity; nil if `text` is not a UUID.
    public init?(_ text: String) {
        guard let uuid = UUID(text: text) else { return nil }
        self.uuid = uuid
    }

    /// Hashes the identity as two words, which is faster than byte by byte.
    public func hash(into hasher: inout Hasher) {
        let (high, low) = uuid.halves
        hasher.combine(high)
        hasher.combine(low)
    }

    /// The same identity for another kind of record.
    ///
    /// A list and its feed share one identity, and so do an account and its feed. The conversion is explicit, so that
    /// all its uses can be found.
    public func retyped<Other>(as kind: Other.Type = Other.self) -> RecordID<Other> {
        RecordID<Other>(uuid)
    }
}

extension RecordID: Comparable {
    /// Compares byte by byte. For UUIDs of version 7 this is the order of their creation times.
    public static func < (left: Self, right: Self) -> Bool {
        left.uuid.isOrdered(before: right.uuid)
    }
}

extension RecordID: TextCodable {
    /// The UUID in lower case.
    public var description: String { uuid.text }

    package static var refusal: String { "is not a UUID" }
}
