import KithModel

/// The data that a ledger reads besides the lists' feeds.
package struct LedgerPlaces: Sendable {
    /// The accounts whose own feeds are locked.
    var accounts: Set<AccountID>
    /// The records that are read.
    var records: Set<RecordPlace>
}
