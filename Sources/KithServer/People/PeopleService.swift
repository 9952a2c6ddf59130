package import KithModel

/// Shows people to each other: one account, or the results of a search by name.
package struct PeopleService: Sendable {
    private let database: any Database

    /// A service over `database`.
    package init(database: any Database) {
        self.database = database
    }

    /// The part of the profile of `account` that `viewer` may see.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such account.
    package func profile(of account: AccountID, to viewer: AccountID) async throws -> ShownProfile {
        let shown = try await database.read { transaction in
            try ProfileViewing(transaction).shown(of: account, to: viewer)
        }
        guard let shown else { throw ServerError(.notFound, "There is no such account.") }
        return shown
    }

    /// The discoverable people, except `viewer`, whose names begin with the words of `name`.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` for a name that cannot be searched for.
    package func find(_ name: String, for viewer: AccountID) async throws -> DirectoryAnswer {
        guard let words = DirectoryName(sought: name)?.words else {
            throw ServerError(.malformed, DirectoryName.rule, path: "?name")
        }
        return try await database.read { transaction in
            let found = try Directory.find(words, besides: viewer, in: transaction)
            let people = try ProfileViewing(transaction).shown(of: found.accounts, to: viewer)
            return DirectoryAnswer(people: people.inOrder(), more: found.more ? true : nil)
        }
    }
}

extension [ShownProfile] {
    /// Sorted by family and given name, then nickname, then id, so that the order is always the same.
    fileprivate func inOrder() -> [ShownProfile] {
        func key(_ shown: ShownProfile) -> [String] {
            ["family", "given", "nick"].flatMap { DirectoryName(shown.fields[$0]?.text ?? "").words }
        }
        return map { (key($0), $0) }.sorted { left, right in
            if left.0 == right.0 { return left.1.account < right.1.account }
            return left.0.lexicographicallyPrecedes(right.0)
        }.map(\.1)
    }
}
