package import KithModel

extension RecordKey {
    static func list(_ id: ListID) -> RecordKey {
        RecordKey(.lists, in: id.retyped(as: Feed.self), id.retyped())
    }
    static func item(_ id: ItemID, in list: ListID) -> RecordKey {
        RecordKey(.items, in: list.retyped(as: Feed.self), id.retyped())
    }
    package static func member(_ id: AccountID, of list: ListID) -> RecordKey {
        RecordKey(.members, in: list.retyped(as: Feed.self), id.retyped())
    }
    static func membership(_ list: ListID) -> RecordKey {
        RecordKey(.memberships, in: nil, list.retyped())
    }

    /// Whether the record belongs or refers to a list. Profiles and contacts do not.
    var isAboutList: Bool { feed != nil || collection == .memberships }

    /// The list that the record belongs or refers to. Only valid if ``isAboutList``.
    package var list: ListID { feed.map { $0.retyped(as: SharedList.self) } ?? id.retyped(as: SharedList.self) }
}

extension StoredRecord {
    /// My membership in a list that the server does not know yet.
    static func ownMembership(at time: Timestamp) -> StoredRecord {
        let role = Fields(dictionaryLiteral: ("role", .text(Role.owner.rawValue)))
        return StoredRecord(fields: role, sequence: 0, modified: time)
    }
}
