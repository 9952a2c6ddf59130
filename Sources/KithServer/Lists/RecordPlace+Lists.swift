import KithModel

extension RecordPlace {
    /// The record of the list itself.
    static func list(_ list: FeedID) -> RecordPlace { RecordPlace(list, list.retyped()) }
    /// The record of a person in a list.
    static func member(_ account: AccountID, of list: FeedID) -> RecordPlace { RecordPlace(list, account.retyped()) }
    /// The record of a list among a person's lists.
    static func membership(_ account: AccountID, of list: FeedID) -> RecordPlace {
        RecordPlace(account.retyped(), list.retyped())
    }
}
