import KithModel

/// A person who can become the owner of a list when its owner's account is deleted.
///
/// One rule applies whoever deletes the account: an editor before a viewer, among them the person who has had the role
/// for the longest. An owner who deletes the own account can also name somebody, and is never given a viewer unasked.
struct ListHeir {
    let account: AccountID
    let role: Role
    /// When the person got the role; nil if the list does not say.
    let since: Timestamp?

    /// The next owner; nil if there is nobody.
    static func next(of heirs: [ListHeir]) -> AccountID? { heirs.min { $0.isBefore($1) }?.account }

    private func isBefore(_ other: ListHeir) -> Bool {
        if role != other.role { return role > other.role }
        let (mine, theirs) = (since ?? .latest, other.since ?? .latest)
        return mine == theirs ? account < other.account : mine < theirs
    }
}

extension Timestamp {
    fileprivate static let latest = Timestamp(milliseconds: .max)
}
