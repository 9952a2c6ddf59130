import Foundation
import KithModel

/// The SQL statements about the search words of people in the directory.
enum Directory {
    /// Replaces the words of an account by those of its profile. There may be none.
    static func update(_ account: AccountID, _ profile: Fields, in transaction: any Transaction) throws {
        let words = Set(DirectoryName(listed: profile).words.map { Data($0.utf8) })
        let known = Set(
            try transaction.query("SELECT word FROM directory WHERE account = ?", [.id(account)])
                .map { try $0.bytes(0) })
        try transaction.execute(
            wanted: ["word"], known.subtracting(words).map { [.bytes($0)] },
            "DELETE FROM directory WHERE account = ? AND word IN (SELECT word FROM wanted)", [.id(account)])
        try transaction.insert(
            into: "directory", ["word", "account"], words.subtracting(known).map { [.bytes($0), .id(account)] })
    }

    /// Finds the accounts that have, for each of the words, a name that begins with it.
    ///
    /// The query finds the accounts with the longest word. The first ``Limits/directoryCandidates`` of them are
    /// compared with the other words. A search for a very common beginning therefore costs no more than any other.
    ///
    /// - Returns: At most ``Limits/directory``, and whether there are more.
    static func find(
        _ words: [String], besides account: AccountID, in transaction: any Transaction
    ) throws -> (accounts: [AccountID], more: Bool) {
        let ranges = words.map(Beginning.init).sorted { $0.length > $1.length }
        guard let first = ranges.first else { return ([], false) }
        let candidates = """
            (SELECT word, account FROM directory WHERE word >= ? AND word < ? ORDER BY word, account LIMIT ?) AS candidate
            """
        let others = ranges.dropFirst().map { _ in
            """
             AND EXISTS (SELECT 1 FROM directory AS other WHERE other.account = candidate.account
                AND other.word >= ? AND other.word < ?)
            """
        }.joined()
        let bounds = first.values + [.integer(Int64(Limits.directoryCandidates))]
        var found: [AccountID] = []
        var seen: Set<AccountID> = []
        _ = try transaction.query(
            """
            SELECT candidate.account FROM \(candidates) WHERE candidate.account <> ?\(others)
            ORDER BY candidate.word, candidate.account
            """, bounds + [.id(account)] + ranges.dropFirst().flatMap(\.values)
        ) { row in
            let account: AccountID = try row.id(0)
            if seen.insert(account).inserted { found.append(account) }
            return found.count <= Limits.directory
        }
        if found.count > Limits.directory { return (Array(found.prefix(Limits.directory)), true) }
        let count = try transaction.count("SELECT count(*) FROM \(candidates)", bounds)
        return (found, count >= Limits.directoryCandidates)
    }

    /// The range of all words with a given beginning, as bytes: from the beginning to the first word after the range.
    private struct Beginning {
        let values: [SQLValue]
        let length: Int

        init(_ word: String) {
            let start = Data(word.utf8)
            var end = start
            // A byte of UTF-8 is never 255, so the addition cannot overflow.
            if let last = end.indices.last { end[last] += 1 }
            values = [.bytes(start), .bytes(end)]
            length = start.count
        }
    }
}
