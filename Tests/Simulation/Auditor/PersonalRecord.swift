import Kith
import KithModel

/// A device's record about a person: a profile, a member of a list, or a contact.
struct PersonalRecord: Hashable {
    let collection: RecordCollection
    /// The list that the person is in; nil for a profile or a contact.
    let list: ListID?
    let id: RecordID<Never>

    static let profile = PersonalRecord(collection: .profiles, list: nil, id: Profile.id)

    static func contact(_ id: AccountID) -> PersonalRecord {
        PersonalRecord(collection: .contacts, list: nil, id: id.retyped())
    }

    static func member(_ id: AccountID, of list: ListID) -> PersonalRecord {
        PersonalRecord(collection: .members, list: list, id: id.retyped())
    }
}

extension PersonalRecord {
    /// The record that a mutation changes.
    init(_ mutation: Mutation) {
        let list: ListID? = mutation.collection == .members ? mutation.feed.retyped() : nil
        self.init(collection: mutation.collection, list: list, id: mutation.record)
    }

    /// The record that a rejected edit was for.
    init(_ rejection: Rejection) {
        let list = rejection.collection == .members ? rejection.listID : nil
        self.init(collection: rejection.collection, list: list, id: rejection.record)
    }
}
