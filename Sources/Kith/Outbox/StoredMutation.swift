import Foundation
import GRDB
import KithModel

/// A mutation in the outbox. In contrast to ``Mutation`` it has the time of its edit instead of its age, and no number
/// until it is first sent.
struct StoredMutation: Sendable {
    let ordinal: Int64
    let id: MutationID
    var number: Int64?
    let group: Int64?
    let key: RecordKey
    let seen: Int64
    var change: Mutation.Change
    /// When the edit was made, by the device's clock.
    var edited: Timestamp
    /// The edit times of single fields, where they differ from ``edited``.
    var edits: [String: Timestamp]
    /// The last names of the record and its list. Empty while both exist on this device.
    let names: RecordNames

    /// The columns, in the order of `init(_:)`.
    static let columns = """
        ordinal, id, number, grouping, feed, collection, record, seen, change, edited, edits, listName, title
        """

    init(_ columns: DirectStatement.Columns) throws {
        ordinal = columns.integer(0)
        id = try columns.id(1)
        number = columns.integerIfAny(2)
        group = columns.integerIfAny(3)
        key = RecordKey(
            RecordCollection(rawValue: columns.text(5)), in: ReplicaFeed(id: columns.idIfAny(4)), try columns.id(6))
        seen = columns.integer(7)
        change = try columns.withBytes(8, StoredJSON.change)
        edited = Timestamp(milliseconds: columns.integer(9))
        let edits = try columns.textIfAny(10).map(StoredJSON.fields) ?? [:]
        self.edits = edits.compactMapValues { $0.integer.map(Timestamp.init(milliseconds:)) }
        names = RecordNames(listName: columns.textIfAny(11), title: columns.textIfAny(12))
    }

    var editsText: String? {
        edits.isEmpty ? nil : StoredJSON.text(edits.mapValues { .integer($0.milliseconds) })
    }

    /// The approximate size of a mutation in a request, in bytes, if its stored change has this many bytes.
    static func wireSize(ofBytes bytes: Int) -> Int { 300 + bytes }

    /// Whether `change` can be folded into this mutation without changing the result.
    ///
    /// A mutation in flight is never changed. Both edits must be based on the same state of the record. Both must also
    /// be accepted or refused together, so either both have no group, or both are in the group that is being written.
    func canFold(_ change: Mutation.Change, seen: Int64, _ place: GroupPlace) -> Bool {
        guard number == nil, self.seen == seen, case .edit = self.change, case .edit = change else { return false }
        // The copy of a record can have more fields of newer versions than one mutation may carry: see `Schema.parts(of:)`.
        let (before, after) = (self.change.touched, Set(self.change.touched + change.touched))
        guard after.count <= max(before.count, Limits.unknownFields) else { return false }
        return switch place {
        case .alone: group == nil
        case .first: false
        case .after(let first): group == first
        }
    }

    func folded(with next: Mutation.Change, at now: Timestamp) -> StoredMutation {
        var folded = self
        folded.change = change.followed(by: next)
        var times: [String: Timestamp] = [:]
        for field in change.touched { times[field] = edits[field] ?? edited }
        // An addition gets no time, because it must not make an earlier set of the field look newer.
        if case .edit(let set, _) = next { for field in set.keys { times[field] = now } }
        folded.edited = now
        folded.edits = times.filter { $0.value != now }
        return folded
    }

    /// The mutation in the form in which the account sends it at `now`.
    func mutation(of account: AccountID, at now: Timestamp, groupNumber: Int64?) -> Mutation {
        func age(_ edited: Timestamp) -> Int64 { max(0, now.milliseconds - edited.milliseconds) }
        return Mutation(
            id: id, number: number ?? 0, group: groupNumber, feed: key.feed.id(inMessagesOf: account),
            collection: key.collection, record: key.id, seen: seen, age: age(edited), ages: edits.mapValues(age),
            change: change)
    }
}

extension [StoredMutation] {
    /// Whether the server may have a record that it has not confirmed, if these are the record's unsent mutations. A
    /// record without any was sent, perhaps by another copy of this replica.
    var mayBeKnown: Bool { isEmpty || contains { $0.number != nil } }

    /// The additions that may have been taken already, as `isDoubtful` says of single mutations, with their groups. If they
    /// were sent under new numbers, they could count twice.
    func additions(where isDoubtful: (StoredMutation) -> Bool) -> [StoredMutation] {
        let adding = Set(filter { $0.change.adds && isDoubtful($0) }.map { $0.group ?? $0.ordinal })
        return filter { adding.contains($0.group ?? $0.ordinal) }
    }

    /// The mutations in the form in which they are sent. If only one mutation of a group is left, it is sent without a
    /// group.
    func asSent(by account: AccountID, at now: Timestamp) -> [Mutation] {
        let groups = Dictionary(grouping: filter { $0.group != nil }, by: \.group)
        return map { mutation in
            let group = groups[mutation.group] ?? []
            return mutation.mutation(
                of: account, at: now, groupNumber: group.count > 1 ? group.compactMap(\.number).min() : nil)
        }
    }
}
