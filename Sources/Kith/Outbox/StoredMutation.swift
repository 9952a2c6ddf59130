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

    init(_ row: Row) throws {
        ordinal = row["ordinal"]
        id = row["id"]
        number = row["number"]
        group = row["grouping"]
        key = RecordKey(RecordCollection(rawValue: row["collection"]), in: row["feed"], row["record"])
        seen = row["seen"]
        change = try StoredJSON.change(row["change"])
        edited = Timestamp(milliseconds: row["edited"])
        let edits = try (row["edits"] as String?).map(StoredJSON.fields) ?? [:]
        self.edits = edits.compactMapValues { $0.integer.map(Timestamp.init(milliseconds:)) }
        names = RecordNames(listName: row["listName"], title: row["title"])
    }

    var editsText: String? {
        edits.isEmpty ? nil : StoredJSON.text(edits.mapValues { .integer($0.milliseconds) })
    }

    /// Its approximate size in a request, in bytes.
    var wireSize: Int { Self.wireSize(of: change) }

    static func wireSize(of change: Mutation.Change) -> Int { 300 + StoredJSON.text(change).utf8.count }

    /// Whether `change` can be folded into this mutation without changing the result.
    ///
    /// A mutation in flight is never changed. Both edits must be based on the same state of the record. Both must also
    /// be accepted or refused together, so either both have no group, or both are in the group that is being written.
    func canTake(_ change: Mutation.Change, seen: Int64, group: Int64?, inGroup: Bool) -> Bool {
        guard number == nil, self.seen == seen, case .edit = self.change, case .edit = change else { return false }
        return inGroup ? group != nil && self.group == group : self.group == nil
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
            id: id, number: number ?? 0, group: groupNumber, feed: key.feed ?? account.retyped(as: Feed.self),
            collection: key.collection, record: key.id, seen: seen, age: age(edited), ages: edits.mapValues(age),
            change: change)
    }
}

extension [StoredMutation] {
    /// The mutations in the form in which they are sent. If only one mutation of a group is left, it is sent without a
    /// group.
    func travelling(from account: AccountID, at now: Timestamp) -> [Mutation] {
        let groups = Dictionary(grouping: filter { $0.group != nil }, by: \.group)
        return map { mutation in
            let group = groups[mutation.group] ?? []
            return mutation.mutation(
                of: account, at: now, groupNumber: group.count > 1 ? group.compactMap(\.number).min() : nil)
        }
    }
}
