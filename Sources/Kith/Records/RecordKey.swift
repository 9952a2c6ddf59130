import Foundation
public import GRDB
public import KithModel

/// The key of a record: its collection, its feed and its identity.
package struct RecordKey: Hashable, Sendable {
    package let collection: RecordCollection
    /// nil for the account's own feed, which has no identity before the first session.
    package let feed: FeedID?
    package let id: RecordID<Never>

    package init(_ collection: RecordCollection, in feed: FeedID?, _ id: RecordID<Never>) {
        self.collection = collection
        self.feed = feed
        self.id = id
    }
}

extension RecordID: SQLExpressible {}
extension RecordID: StatementBinding {}
extension RecordID: DatabaseValueConvertible {
    /// The sixteen bytes of the UUID.
    public var databaseValue: DatabaseValue { uuid.data.databaseValue }

    /// The identity with these sixteen bytes; nil for any other value.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
        Data.fromDatabaseValue(value).flatMap { UUID(bytes: $0) }.map { Self($0) }
    }
}
