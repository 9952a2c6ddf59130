import KithModel

/// Whose record of whom.
struct Pair: Hashable {
    let owner: AccountID
    let other: AccountID
}
