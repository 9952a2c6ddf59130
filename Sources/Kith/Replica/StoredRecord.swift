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

    static func list(_ id: ListID) -> RecordKey {
        RecordKey(.lists, in: id.retyped(as: Feed.self), id.retyped())
    }
    static func item(_ id: ItemID, in list: ListID) -> RecordKey {
        RecordKey(.items, in: list.retyped(as: Feed.self), id.retyped())
    }
    static func member(_ id: AccountID, of list: ListID) -> RecordKey {
        RecordKey(.members, in: list.retyped(as: Feed.self), id.retyped())
    }
    static func membership(_ list: ListID) -> RecordKey {
        RecordKey(.memberships, in: nil, list.retyped())
    }
    static func contact(_ account: AccountID) -> RecordKey {
        RecordKey(.contacts, in: nil, account.retyped())
    }
    static let profile = RecordKey(.profiles, in: nil, Profile.id)

    /// Whether the record belongs or refers to a list. A profile and a contact do not.
    var isAboutList: Bool { feed != nil || collection == .memberships }

    /// The list that the record belongs or refers to, if it is about one.
    var list: ListID { feed.map { $0.retyped(as: SharedList.self) } ?? id.retyped(as: SharedList.self) }
}

/// A record as the replica holds it: the server's state with the device's unsent edits on top.
package struct StoredRecord: Hashable, Sendable {
    package var fields: Fields
    /// The sequence of the server's state; 0 if the server has not sent the record.
    package var sequence: Int64
    package var modified: Timestamp
    /// Whether its removal waits for confirmation. Getters do not show such a record.
    package var isRemoved: Bool

    package init(fields: Fields, sequence: Int64, modified: Timestamp, isRemoved: Bool = false) {
        self.fields = fields
        self.sequence = sequence
        self.modified = modified
        self.isRemoved = isRemoved
    }

    /// My membership in a list that the server does not know yet.
    static func ownMembership(at time: Timestamp) -> StoredRecord {
        let role = Fields(dictionaryLiteral: ("role", .text(Role.owner.rawValue)))
        return StoredRecord(fields: role, sequence: 0, modified: time)
    }

    /// The fields for a copy of the record: those that devices write, with sums as they are shown.
    func copied(_ schema: Schema) -> Fields {
        var copy: Fields = [:]
        for (name, value) in fields where schema[name]?.writer != .server && value != .null {
            copy[name] = schema[name]?.shown(value) ?? value
        }
        return copy
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

/// Encodes and decodes JSON in the replica's columns.
enum StoredJSON {
    static func text(_ fields: Fields) -> String { CanonicalForm.text(fields) }

    static func fields(_ text: String) throws -> Fields {
        try JSONDecoder().decode(Fields.self, from: Data(text.utf8))
    }

    static func value(_ text: String) throws -> FieldValue {
        try JSONDecoder().decode(FieldValue.self, from: Data(text.utf8))
    }

    static func text(_ change: Mutation.Change) -> String {
        switch change {
        case .delete: #"{"delete":true}"#
        case .edit(let set, let add):
            CanonicalForm.text(["set": .object(set), "add": .object(add.mapValues(FieldValue.integer))])
        }
    }

    static func change(_ text: String) throws -> Mutation.Change {
        let fields = try fields(text)
        guard case .object(let set) = fields["set"], case .object(let add) = fields["add"] else { return .delete }
        return .edit(set: set, add: add.compactMapValues(\.integer))
    }
}
