public import Foundation

/// The identity of one record, which the compiler keeps apart from the
/// identities of other kinds of record.
///
/// Kith makes UUIDs of version 7, on the device that creates the record, so that
/// creating needs no server. They sort by the time they were made. An app can
/// choose another UUID. Written in lower case, as RFC 9562 section 4 recommends.
public struct RecordID<Record>: Hashable, Sendable {
    /// The identity itself, without its kind.
    public let uuid: UUID

    /// The identity with this UUID.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// The identity written as `text`, or nil if `text` is not a UUID.
    public init?(_ text: String) {
        guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    /// The same identity, read as that of another kind of record.
    ///
    /// A list and its feed share one identity, as do an account and its feed;
    /// the conversion is spelled out so that each place can be found.
    public func retyped<Other>(as kind: Other.Type = Other.self) -> RecordID<Other> {
        RecordID<Other>(uuid)
    }
}

extension RecordID: Comparable {
    /// Compares byte by byte, and so by the time of making.
    public static func < (left: Self, right: Self) -> Bool {
        left.uuid.isOrdered(before: right.uuid)
    }
}

extension RecordID: CustomStringConvertible {
    /// The UUID in lower case.
    public var description: String { uuid.text }
}

extension RecordID: TextCodable {
    package static var refusal: String { "is not a UUID" }
}

/// What an ``AccountID`` identifies: one user of the service, anonymous or not.
public enum Account {}
/// What a ``DeviceID`` identifies: one replica of one account.
public enum Device {}
/// What a ``FeedID`` identifies: the unit of sharing and ordering.
public enum Feed {}
/// What a ``ServerID`` identifies: one service with its database, at whatever address it is reached.
public enum SyncServer {}

/// The identity of an account.
public typealias AccountID = RecordID<Account>
/// The identity of a replica.
public typealias DeviceID = RecordID<Device>
/// The identity of a feed.
public typealias FeedID = RecordID<Feed>
/// The identity of a server. Its database makes it once and keeps it, so that a moved or restored server is recognised.
public typealias ServerID = RecordID<SyncServer>
/// The identity of a link.
public typealias LinkID = RecordID<ListLink>
/// The identity of a list.
public typealias ListID = RecordID<SharedList>
/// The identity of an item.
public typealias ItemID = RecordID<ListItem>
/// The identity of a mutation.
public typealias MutationID = RecordID<Mutation>
