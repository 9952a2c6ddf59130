import KithModel

/// How far a replica has read: what its token says, in either form.
enum ReplicaPlace: Hashable, Sendable {
    case positions(ReadingPlace)
    case revisions(RevisionPlace)

    /// Reads the token of a device of `account`; nil if there is none, or if it cannot be read or is of another account.
    /// The replica then reads everything.
    init?(_ token: SyncToken?, of account: AccountID) {
        guard let token else { return nil }
        if let place = RevisionPlace(token), place.isOf(account) {
            self = .revisions(place)
        } else if let place = ReadingPlace(token) {
            self = .positions(place)
        } else {
            return nil
        }
    }

    /// The epoch in which the place is valid.
    var epoch: String {
        switch self {
        case .positions(let place): place.epoch
        case .revisions(let place): place.epoch
        }
    }
}
