/// One change of one record: *set* these fields, *add* to these numbers, or *delete*.
///
/// It is created together with its edit, and gets its number when it is first sent.
public struct Mutation: Hashable, Sendable {
    /// The mutation's identity. It is the same in each attempt.
    package let id: MutationID
    /// The number, which counts up by one per device, from 1, without gaps.
    package var number: Int64
    /// The number of the first mutation of its group; nil without a group. A group is applied whole or not at all.
    package var group: Int64?
    /// The feed that contains the record.
    package let feed: FeedID
    /// The record's collection.
    package let collection: RecordCollection
    /// The record to change.
    package let record: RecordID<Never>
    /// The sequence of the record that the device had seen at the time of the edit; 0 if it had seen none.
    package var seen: Int64
    /// The time between the edit and the sending, in milliseconds. It grows with each attempt.
    package var age: Int64
    /// The ages of fields that were edited at a different time from the others.
    package var ages: [String: Int64]
    /// The change to the record.
    package var change: Change

    /// The change that a mutation makes to its record.
    package enum Change: Hashable, Sendable {
        /// Sets the fields of `set`, where null removes a field, then adds to the numbers of `add`. Creates the record
        /// if there is none.
        case edit(set: Fields, add: [String: Int64])
        /// Deletes the record permanently.
        case delete

        /// An edit that sets `fields` and adds nothing.
        package static func set(_ fields: Fields) -> Change { .edit(set: fields, add: [:]) }

        /// Whether this adds to a number, so that it must not be applied twice.
        package var adds: Bool { if case .edit(_, let add) = self { !add.isEmpty } else { false } }
    }

    /// Creates a mutation with these properties.
    package init(
        id: MutationID, number: Int64, group: Int64? = nil, feed: FeedID, collection: RecordCollection,
        record: RecordID<Never>, seen: Int64, age: Int64 = 0, ages: [String: Int64] = [:], change: Change
    ) {
        self.id = id
        self.number = number
        self.group = group
        self.feed = feed
        self.collection = collection
        self.record = record
        self.seen = seen
        self.age = age
        self.ages = ages
        self.change = change
    }

    /// The age of the edit of one field.
    package func age(of field: String) -> Int64 { max(0, ages[field] ?? age) }

    /// Whether the mutation is the condition on which its group deletes the record: it adds 0, and the record must be as the
    /// author knew it. Otherwise an edit of another device would be lost with the record.
    package func isCondition(of group: some Sequence<Mutation>) -> Bool {
        guard case .edit(_, let add) = change, add.values.contains(0) else { return false }
        return group.contains { $0.change == .delete && $0.feed == feed && $0.record == record }
    }

    /// The mutation in canonical form, without the ages, which differ in each attempt.
    ///
    /// The server compares hashes of it, to detect that a number is reused with other content.
    package var canonical: String {
        var json = JSONWriter()
        json.object { json in
            // In the order of the names, as the canonical form has it.
            if case .edit(_, let add) = change { json.member("add") { $0.fields(add.mapValues(FieldValue.integer)) } }
            json.member("collection") { $0.text(collection.rawValue) }
            if case .delete = change { json.member("delete") { $0.flag(true) } }
            json.member("feed") { $0.id(feed) }
            if let group { json.member("group") { $0.integer(group) } }
            json.member("id") { $0.id(id) }
            json.member("number") { $0.integer(number) }
            json.member("record") { $0.id(record) }
            json.member("seen") { $0.integer(seen) }
            if case .edit(let set, _) = change { json.member("set") { $0.fields(set) } }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension Mutation.Change {
    /// The fields that the change touches, ordered by name.
    package var touched: [String] {
        switch self {
        case .edit(let set, let add): Set(set.keys).union(add.keys).sorted()
        case .delete: []
        }
    }

    /// The sums that a condition states: those to which it adds 0, with the values that it sets. See
    /// ``Mutation/isCondition(of:)``.
    package var statedSums: Fields {
        guard case .edit(let set, let add) = self else { return [:] }
        return set.filter { add[$0.key] == 0 }
    }

    /// The field in which an edit of the record that begins a feed states which content the feed must have: the digest of its
    /// records without those of the people. It is never stored.
    package static let contentDigest = "contentDigest"

    /// The change without what it states, which is not meant to be written.
    package var withoutStatements: Self {
        guard case .edit(let set, let add) = self else { return self }
        return .edit(set: set.filter { add[$0.key] != 0 && $0.key != Self.contentDigest }, add: add)
    }

    /// The record's fields after the change; nil if it deletes the record.
    ///
    /// Sets are applied before additions, so one change may do both to a field.
    package func applied(to fields: Fields, of schema: Schema?) -> Fields? {
        guard case .edit(let set, let add) = self else { return nil }
        var result = fields
        if fields.isEmpty && !set.values.contains(.null) {
            result = set
        } else {
            for (name, value) in set { result[name] = value == .null ? nil : value }
        }
        for (name, amount) in add {
            let base = result[name]?.integer ?? schema?[name]?.standard.integer ?? 0
            let (sum, isTooFar) = base.addingReportingOverflow(amount)
            let bounded = isTooFar ? (amount < 0 ? -Limits.sum : Limits.sum) : min(max(sum, -Limits.sum), Limits.sum)
            result[name] = .integer(bounded)
        }
        return result
    }

    /// This change followed by `next`, as one change.
    ///
    /// An addition that follows a set is stored beside it. So the addition still counts if a later edit overrides the
    /// set, and the sum may leave its range.
    package func followed(by next: Self) -> Self {
        guard case .edit(var set, var add) = self, case .edit(let nextSet, let nextAdd) = next else { return next }
        for (name, value) in nextSet {
            set[name] = value
            add[name] = nil
        }
        for (name, amount) in nextAdd { add[name, default: 0] += amount }
        return .edit(set: set, add: add)
    }
}

extension Mutation: Codable {
    private enum Key: String, CodingKey {
        case id, number, group, feed, collection, record, seen, age, ages, set, add, delete
    }

    /// Reads a mutation, which either sets and adds, or deletes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(MutationID.self, forKey: .id)
        number = try container.decode(Int64.self, forKey: .number)
        group = try container.decodeIfPresent(Int64.self, forKey: .group)
        feed = try container.decode(FeedID.self, forKey: .feed)
        collection = try container.decode(RecordCollection.self, forKey: .collection)
        record = try container.decode(RecordID<Never>.self, forKey: .record)
        seen = try container.decode(Int64.self, forKey: .seen)
        age = try container.decode(Int64.self, forKey: .age)
        ages = try container.decodeIfPresent([String: Int64].self, forKey: .ages) ?? [:]
        let set = try container.decodeIfPresent(Fields.self, forKey: .set)
        let add = try container.decodeIfPresent([String: Int64].self, forKey: .add)
        let delete = try container.decodeIfPresent(Bool.self, forKey: .delete) ?? false
        guard delete == (set == nil && add == nil) else {
            throw DecodingError.dataCorruptedError(
                forKey: .delete, in: container, debugDescription: "A mutation either sets and adds, or deletes.")
        }
        change = delete ? .delete : .edit(set: set ?? [:], add: add ?? [:])
    }

    /// Writes the mutation without empty properties.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(number, forKey: .number)
        try container.encodeIfPresent(group, forKey: .group)
        try container.encode(feed, forKey: .feed)
        try container.encode(collection, forKey: .collection)
        try container.encode(record, forKey: .record)
        try container.encode(seen, forKey: .seen)
        try container.encode(age, forKey: .age)
        if !ages.isEmpty { try container.encode(ages, forKey: .ages) }
        switch change {
        case .edit(let set, let add):
            if !set.isEmpty || add.isEmpty { try container.encode(set, forKey: .set) }
            if !add.isEmpty { try container.encode(add, forKey: .add) }
        case .delete: try container.encode(true, forKey: .delete)
        }
    }
}

/// The identity of a mutation.
public typealias MutationID = RecordID<Mutation>
