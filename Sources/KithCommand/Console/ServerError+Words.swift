import KithModel
import KithServer

extension ServerError {
    /// The sentence for the operator: with the words of PostgreSQL or its client, which name hosts, users and databases, but no
    /// passwords, or with those of SQLite if it cannot use a file. No answer to a device has them.
    var operatorSentence: String {
        if code == .busy, let failure = cause as? SQLiteFailure, failure.kind.isLasting, !failure.kind.isDamage {
            return "\(sentence) (\(failure.description))"
        }
        guard let failure = cause as? PostgresFailure else { return sentence }
        let words = failure.words + (failure.words.hasSuffix(".") ? "" : ".")
        return failure.isConnectionLost
            ? "The database cannot be used: \(words)" : "\(sentence) PostgreSQL says: \(words)"
    }
}
