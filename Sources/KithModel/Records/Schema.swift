/// The definition of one collection: its fields, their rules and the permissions. Device and server use the same
/// definition.
///
/// A new kind of synced record needs a schema, rules on the server, and rules on the device. The device creates the
/// table from the schema.
package struct Schema: Sendable {
    /// The kind of feed that contains the records of a collection.
    package enum Home: Hashable, Sendable {
        /// The feed of a list, read by everyone in the list.
        case list
        /// The feed of an account, read by its own devices.
        case account
    }

    /// The collection that the schema defines.
    package let collection: RecordCollection
    /// The kind of feed that contains the records.
    package let home: Home
    /// Whether each record creates a feed with the same id. A feed has only one such record.
    package let createsFeed: Bool
    /// Who may create a record; `.server` if only the server may.
    package let creator: Field.Writer
    /// Who may remove a record.
    package let remover: Field.Writer
    /// The fields that this version knows.
    package let fields: [Field]
    /// The reason why a record with `fields` is not valid; nil if it is valid. `before` has the fields that it had before
    /// the edit; nil for a new record. Each field has been found valid by itself.
    package let fault: @Sendable (_ fields: Fields, _ before: Fields?) -> BrokenRule?
    private let byName: [String: Field]

    package init(
        _ collection: RecordCollection, in home: Home, createsFeed: Bool = false, creator: Field.Writer,
        remover: Field.Writer, fields: [Field],
        fault: @escaping @Sendable (_ fields: Fields, _ before: Fields?) -> BrokenRule? = { _, _ in nil }
    ) {
        self.collection = collection
        self.home = home
        self.createsFeed = createsFeed
        self.creator = creator
        self.remover = remover
        self.fields = fields
        self.fault = fault
        self.byName = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0) })
    }

    /// The field called `name`, or nil if this version does not know it.
    package subscript(name: String) -> Field? { byName[name] }

    /// Whether this version knows the field called `name`.
    package func knows(_ name: String) -> Bool { byName.index(forKey: name) != nil }

    /// A required field that is missing in the fields of a new record; nil if there is none.
    package func missing(in set: Fields) -> Field? {
        fields.first { $0.isRequired && set[$0.name] ?? .null == .null }
    }

    /// The fields of a whole record in parts, each of which a mutation can carry: at most ``Limits/unknownFields`` are of
    /// newer versions. The first part has all fields that this version knows, so it can create the record.
    package func parts(of fields: Fields) -> [Fields] {
        var parts = [fields.filter { knows($0.key) }]
        for (index, name) in fields.keys.filter({ !knows($0) }).sorted().enumerated() {
            if index > 0 && index.isMultiple(of: Limits.unknownFields) { parts.append([:]) }
            parts[parts.count - 1][name] = fields[name]
        }
        return parts
    }
}
