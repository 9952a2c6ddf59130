import KithModel

extension RecordKey {
    /// The record of a list itself.
    static func list(_ list: FeedID) -> RecordKey { RecordKey(list, list.retyped()) }
    /// The record of a person in a list.
    static func member(_ account: AccountID, of list: FeedID) -> RecordKey { RecordKey(list, account.retyped()) }
    /// The record of a list among a person's lists.
    static func membership(_ account: AccountID, of list: FeedID) -> RecordKey {
        RecordKey(account.retyped(), list.retyped())
    }
}
