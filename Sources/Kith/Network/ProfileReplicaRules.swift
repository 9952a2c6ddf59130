import GRDB
import KithModel

/// The rules for the account's own profile.
struct ProfileReplicaRules: ReplicaRules {
    let schema = Profile.schema
    let content = StoreContent.some { try Profile.fetch(in: $0.store) == Profile() ? 0 : 1 }
    // The server refuses a picture that it does not have.
    let folding = FoldingRules(contested: Set(PictureSize.allCases.map(\.field)))
    // My own pictures.
    let unsentTables = ["picture"]

    /// Moves the unsent parts of my profile, with the picture. If the user signs in to another account, that account
    /// has a profile of its own, so nothing moves.
    func moveUnsent(_ move: UnsentMove) throws {
        if move.isDecided { return }
        let key = RecordKey.profile
        let unsent: [StoredMutation] = try move.unsent(of: .profiles).flatMap { $0.mutations }
        var fields: Fields = [:]
        for mutation in unsent { if case .edit(let set, _) = mutation.change { fields.merge(set) { $1 } } }
        // A picture that is not on the device any more cannot be sent.
        let pictures = PictureSize.allCases.compactMap { fields[$0.field]?.text }
        let isComplete = try PictureCache(move.oldStore).move(pictures, to: move.new.key)
        if !isComplete { for size in PictureSize.allCases { fields[size.field] = nil } }
        if fields.isEmpty { return }
        try move.write(fields, to: key)
        let moved = unsent.filter { mutation in
            if case .edit(let set, _) = mutation.change { Set(set.keys).isSubset(of: fields.keys) } else { false }
        }
        try move.withdraw(moved, of: key)
    }

    /// Marks my picture as unsent. It is sent again before any edit that refers to it.
    func resendDataOutsideFeeds(in transaction: ReplicaTransaction) throws {
        try transaction.db.execute(
            sql: """
                UPDATE picture SET isUnsent = 1 WHERE account = ?1 AND hash IN (
                    SELECT pictureSmall FROM profile WHERE account = ?1
                    UNION SELECT pictureLarge FROM profile WHERE account = ?1)
                """, arguments: [transaction.account.key])
    }
}
