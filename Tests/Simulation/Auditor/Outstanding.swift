import KithModel

/// The actions of one seat that its getters must show: removals permanently, all others until the server has taken
/// them.
struct Outstanding {
    /// The last value that was written to each field, until the server has taken it.
    var fields: [RecordID<Never>: Fields] = [:]
    /// The same for profiles, members and contacts.
    var people: [PersonalRecord: Fields] = [:]
    /// The additions to sums, until the server has taken them.
    var additions: [Spot: Int64] = [:]
    /// The created records that the server has not taken, with the list of each.
    var made: [RecordID<Never>: ListID] = [:]
    /// The created lists that the server has not taken.
    var madeLists: Set<ListID> = []
    /// The people who were removed from a list, until they join it again or the server refuses the removal.
    var expelled: Set<PersonalRecord> = []
    /// The removed records and lists and the lists that were left: permanently, unless the server refuses it.
    var removed: Set<RecordID<Never>> = []

    mutating func note(_ action: RecordAction) {
        let record = action.record
        switch action.kind {
        case .created(_, let texts), .putBack(let texts):
            made[record] = action.list
            fields[record, default: [:]].merge(texts.mapValues(FieldValue.text)) { $1 }
        case .madeList(let name):
            madeLists.insert(action.list)
            fields[record, default: [:]]["name"] = .text(name)
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

    /// Notes values that were written about a person; nil removes the person from the list.
    mutating func note(_ person: PersonalRecord, _ values: Fields?) {
        if let values {
            people[person, default: [:]].merge(values) { $1 }
        } else {
            people[person] = nil
            expelled.insert(person)
        }
    }

    /// The server has taken a mutation.
    mutating func settle(_ mutation: Mutation) {
        guard case .edit(let set, let add) = mutation.change else { return }
        settle(mutation.record, set)
        settle(PersonalRecord(mutation), set)
        made[mutation.record] = nil
        madeLists.remove(mutation.record.retyped())
        for (sum, amount) in add { additions[Spot(record: mutation.record, field: sum), default: 0] -= amount }
    }

    /// The device need not show these values any more.
    mutating func settle(_ record: RecordID<Never>, _ values: Fields) {
        for (field, value) in values where fields[record]?[field] == value { fields[record]?[field] = nil }
    }

    mutating func settle(_ person: PersonalRecord, _ values: Fields) {
        for (field, value) in values where people[person]?[field] == value { people[person]?[field] = nil }
    }

    mutating func forget(_ record: RecordID<Never>) {
        made[record] = nil
        additions = additions.filter { $0.key.record != record }
        fields[record] = nil
    }
}
