import KithModel

/// The owner of a contact record and the person that it is about.
struct Pair: Hashable {
    let owner: AccountID
    let other: AccountID
}
