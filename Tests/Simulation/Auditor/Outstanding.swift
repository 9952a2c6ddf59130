import KithModel

/// What somebody has done on a device, and what its getters therefore show: until the server has taken it, or for good.
struct Outstanding {
    /// The last value that was written of each field, until the server has taken it.
    var fields: [RecordID<Never>: Fields] = [:]
    /// The same, of profiles, members and contacts.
    var people: [PersonalRecord: Fields] = [:]
    /// What was added to counts, until the server has taken it.
    var additions: [ItemID: Int] = [:]
    /// The items that were made and that the server has not taken, each with its list.
    var made: [ItemID: ListID] = [:]
    /// The lists that were made and that the server has not taken.
    var madeLists: Set<ListID> = []
    /// Those who were taken out of a list: until they join it again, or the server refuses that.
    var expelled: Set<PersonalRecord> = []
    /// The items and lists that were removed, and the lists that were left: for good, unless the server refuses that.
    var removed: Set<RecordID<Never>> = []

    mutating func note(_ deed: Deed) {
        guard let record = deed.record else { return }
        switch (deed.kind, deed.item, deed.list) {
        case (.created(let title), let item?, let list?), (.putBack(let title, _), let item?, let list?):
            made[item] = list
            fields[record, default: [:]]["title"] = .text(title)
        case (.madeList(let name), _, let list?):
            madeLists.insert(list)
            fields[record, default: [:]]["name"] = .text(name)
        case (.wrote(let field, let value), _, _): fields[record, default: [:]][field] = value
        case (.increased(let amount), let item?, _): additions[item, default: 0] += amount
        case (.removed, let item?, _):
            forget(item)
            removed.insert(record)
        case (.removedList, _, let list?), (.left, _, let list?):
            for (item, home) in made where home == list { forget(item) }
            madeLists.remove(list)
            fields[record] = nil
            removed.insert(record)
        case (.tookBack, _, _): removed.remove(record)
        default: break
        }
    }

    /// These values were written of somebody; nil took them out of their list.
    mutating func note(_ person: PersonalRecord, _ values: Fields?) {
        if let values {
            people[person, default: [:]].merge(values) { $1 }
        } else {
            people[person] = nil
            expelled.insert(person)
        }
    }

    /// The server has taken a mutation, or refused it for good.
    mutating func settle(_ mutation: Mutation) {
        guard case .edit(let set, let add) = mutation.change else { return }
        settle(mutation.record, set)
        settle(PersonalRecord(mutation), set)
        made[mutation.record.retyped()] = nil
        madeLists.remove(mutation.record.retyped())
        if let amount = add["count"] { additions[mutation.record.retyped(), default: 0] -= Int(amount) }
    }

    /// These values are no longer this device's to show.
    mutating func settle(_ record: RecordID<Never>, _ values: Fields) {
        for (field, value) in values where fields[record]?[field] == value { fields[record]?[field] = nil }
    }

    mutating func settle(_ person: PersonalRecord, _ values: Fields) {
        for (field, value) in values where people[person]?[field] == value { people[person]?[field] = nil }
    }

    mutating func forget(_ item: ItemID) {
        made[item] = nil
        additions[item] = nil
        fields[item.retyped()] = nil
    }
}
