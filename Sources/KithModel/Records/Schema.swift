/// The name of a kind of synced record. Open: a newer version may bring more.
public struct RecordCollection: RawRepresentable, Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    /// The name as it travels.
    public let rawValue: String

    /// The collection of this name, whether this version knows it or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether `left` comes first by name.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The name.
    public var description: String { rawValue }
}

/// What both sides know of one collection: its fields, their rules, and who may do what.
///
/// A new kind of synced record is one of these, one table in the replica's
/// migration, and one access rule on the server.
package struct Schema: Sendable {
    /// Whose feed the records of a collection live in.
    package enum Home: Hashable, Sendable {
        /// The feed of a list, read by everyone in the list.
        case list
        /// The feed of an account, read by its own devices.
        case account
    }

    /// The collection that this is about.
    package let collection: RecordCollection
    /// Whose feed the records live in.
    package let home: Home
    /// Who may create a record; `.server` if nobody else.
    package let creator: Field.Writer
    /// Who may remove a record.
    package let remover: Field.Writer
    /// The fields that this version knows.
    package let fields: [Field]
    private let byName: [String: Field]

    package init(
        _ collection: RecordCollection, in home: Home, creator: Field.Writer, remover: Field.Writer, fields: [Field]
    ) {
        self.collection = collection
        self.home = home
        self.creator = creator
        self.remover = remover
        self.fields = fields
        self.byName = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0) })
    }

    /// The field called `name`, or nil if this version does not know it.
    package subscript(name: String) -> Field? { byName[name] }

    /// A field that a new record must have and `set` does not give it; nil if there is none.
    package func missing(in set: Fields) -> Field? {
        fields.first { $0.isRequired && set[$0.name] ?? .null == .null }
    }

    /// Every collection that this version knows.
    package static let all: [Schema] = [
        SharedList.schema, ListItem.schema, Member.schema, Membership.schema, Profile.schema, NetworkContact.schema,
    ]

    private static let byCollection = Dictionary(uniqueKeysWithValues: all.map { ($0.collection, $0) })

    /// The schema of `collection`, or nil if this version does not know it.
    package static subscript(collection: RecordCollection) -> Schema? { byCollection[collection] }
}
