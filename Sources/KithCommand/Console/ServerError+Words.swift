import KithServer

extension ServerError {
    /// The sentence for the operator: with the words of PostgreSQL or its client, which name hosts, users and databases, but no
    /// passwords. No answer to a device has them.
    var operatorSentence: String {
        guard let failure = cause as? PostgresFailure else { return sentence }
        let words = failure.words + (failure.words.hasSuffix(".") ? "" : ".")
        return failure.isConnectionLost
            ? "The database cannot be used: \(words)" : "\(sentence) PostgreSQL says: \(words)"
    }
}
