import KithModel

/// How far a replica has read: what its token says, in either form.
enum ReadPosition: Hashable, Sendable {
    case positions(FeedPositions)
    case revisions(RevisionPosition)

    /// Reads the token of a device of `account`; nil if there is none, or if it cannot be read or is of another account.
    /// The replica then reads everything.
    init?(_ token: SyncToken?, of account: AccountID) {
        guard let bytes = token.flatMap({ TokenBytes($0) }) else { return nil }
        if let position = RevisionPosition(bytes), position.isOf(account) {
            self = .revisions(position)
        } else if let positions = FeedPositions(bytes) {
            self = .positions(positions)
        } else {
            return nil
        }
    }

    /// The epoch in which the position is valid.
    var epoch: String {
        switch self {
        case .positions(let positions): positions.epoch
        case .revisions(let position): position.epoch
        }
    }

    /// Whether the answer that brought this position was incomplete.
    var isContinued: Bool {
        switch self {
        case .positions(let positions): positions.isContinued
        case .revisions(let position): position.isContinued
        }
    }

    /// The revision up to which all feeds were read; nil if the position is not that of a complete answer by revisions.
    var end: Revision? {
        guard case .revisions(let position) = self, !position.isContinued else { return nil }
        return position.revision
    }
}
