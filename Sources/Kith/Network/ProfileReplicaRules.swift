import GRDB
import KithModel

/// The rules for the account's own profile.
struct ProfileReplicaRules: ReplicaRules {
    let schema = Profile.schema

    /// Marks my picture as unsent. It is sent again before any edit that refers to it.
    func sendAgainWhatIsNotInFeeds(in transaction: ReplicaTransaction) throws {
        try transaction.db.execute(
            sql: """
                UPDATE picture SET isUnsent = 1 WHERE account = ?1 AND hash IN (
                    SELECT pictureSmall FROM profile WHERE account = ?1
                    UNION SELECT pictureLarge FROM profile WHERE account = ?1)
                """, arguments: [transaction.account.key])
    }
}
