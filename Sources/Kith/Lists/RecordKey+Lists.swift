package import KithModel

extension RecordKey {
    static func list(_ id: ListID) -> RecordKey {
        RecordKey(.lists, in: .ofList(id.retyped()), id.retyped())
    }
    static func item(_ id: ItemID, in list: ListID) -> RecordKey {
        RecordKey(.items, in: .ofList(list.retyped()), id.retyped())
    }
    package static func member(_ id: AccountID, of list: ListID) -> RecordKey {
        RecordKey(.members, in: .ofList(list.retyped()), id.retyped())
    }
    static func membership(_ list: ListID) -> RecordKey {
        RecordKey(.memberships, in: .own, list.retyped())
    }

    /// Whether the record belongs or refers to a list. Profiles and contacts do not.
    var isAboutList: Bool { feed != .own || collection == .memberships }

    /// The list that the record belongs or refers to. Only valid if ``isAboutList``.
    package var list: ListID { (feed.id ?? id.retyped()).retyped() }
}

extension StoredRecord {
    /// My membership in a list that the server does not know yet.
    static func ownMembership(at time: Timestamp) -> StoredRecord {
        let role = Fields(dictionaryLiteral: ("role", .text(Role.owner.rawValue)))
        return StoredRecord(fields: role, sequence: 0, modified: time)
    }
}
