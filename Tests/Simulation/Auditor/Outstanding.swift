import Kith
import KithModel

/// The actions of one seat that its getters must show: removals permanently, all others until the server has taken
/// them.
struct Outstanding {
    /// The last value that was written to each field, until the server has taken it.
    var fields: [RecordID<Never>: Fields] = [:]
    /// The same for records that only their keys identify.
    var keyedFields: [RecordKey: Fields] = [:]
    /// The keys of such records that were removed, until they are created again or the server refuses the removal.
    var removedKeys: Set<RecordKey> = []
    /// The additions to sums, until the server has taken them.
    var additions: [Spot: Int64] = [:]
    /// The created records that the server has not taken, with the list of each.
    var made: [RecordID<Never>: ListID] = [:]
    /// The created lists that the server has not taken.
    var madeLists: Set<ListID> = []
    /// The removed records and lists and the lists that were left: permanently, unless the server refuses it.
    var removed: Set<RecordID<Never>> = []

    mutating func note(_ action: RecordAction) {
        let record = action.record
        switch action.kind {
        case .created(_, let texts), .putBack(let texts):
            made[record] = action.list
            fields[record, default: [:]].merge(texts.mapValues(FieldValue.text)) { $1 }
        case .madeList(let texts):
            madeLists.insert(action.list)
            fields[record, default: [:]].merge(texts.mapValues(FieldValue.text)) { $1 }
        case .wrote(let field, let value): fields[record, default: [:]][field] = value
        case .increased(let sum, let amount): additions[Spot(record: record, field: sum), default: 0] += Int64(amount)
        case .removed:
            forget(record)
            removed.insert(record)
        case .removedList, .left:
            for (record, home) in made where home == action.list { forget(record) }
            madeLists.remove(action.list)
            fields[record] = nil
            removed.insert(record)
        case .tookBack: removed.remove(record)
        }
    }

    /// Notes values that were written to a record with this key; nil if it was removed.
    mutating func note(_ key: RecordKey, _ values: Fields?) {
        if let values {
            keyedFields[key, default: [:]].merge(values) { $1 }
        } else {
            keyedFields[key] = nil
            removedKeys.insert(key)
        }
    }

    /// The server has taken a mutation of the record with this key.
    mutating func settle(_ mutation: Mutation, of key: RecordKey) {
        guard case .edit(let set, let add) = mutation.change else { return }
        settle(mutation.record, set)
        settle(key, set)
        made[mutation.record] = nil
        madeLists.remove(mutation.record.retyped())
        for (sum, amount) in add { additions[Spot(record: mutation.record, field: sum), default: 0] -= amount }
    }

    /// The device need not show these values any more.
    mutating func settle(_ record: RecordID<Never>, _ values: Fields) {
        for (field, value) in values where fields[record]?[field] == value { fields[record]?[field] = nil }
    }

    mutating func settle(_ key: RecordKey, _ values: Fields) {
        for (field, value) in values where keyedFields[key]?[field] == value { keyedFields[key]?[field] = nil }
    }

    mutating func forget(_ record: RecordID<Never>) {
        made[record] = nil
        additions = additions.filter { $0.key.record != record }
        fields[record] = nil
    }
}
