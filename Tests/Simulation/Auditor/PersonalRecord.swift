import Kith
import KithModel

/// A record about a person, as a device has it: a profile, somebody in a list, or somebody in the network.
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
    /// What a mutation is about.
    init(_ mutation: Mutation) {
        let list: ListID? = mutation.collection == .members ? mutation.feed.retyped() : nil
        self.init(collection: mutation.collection, list: list, id: mutation.record)
    }

    /// What a rejection is about.
    init(_ rejection: Rejection) {
        let list = rejection.collection == .members ? rejection.listID : nil
        self.init(collection: rejection.collection, list: list, id: rejection.record)
    }
}
