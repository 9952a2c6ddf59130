import KithModel

/// Whom a search of the directory found.
public struct DirectoryFinding: Hashable, Sendable {
    /// Those who match, in the order of their names; at most ``Limits/directory``.
    public let people: [Person]
    /// Whether more match than are named: a longer name finds fewer.
    public let hasMore: Bool
}

extension Network {
    /// Asks the server for people by name, among those who let themselves be listed.
    ///
    /// - Parameter name: One to ``Limits/directoryName`` characters, at most ``Limits/directoryWords`` words, one of two
    ///   letters at least; each is the beginning of a word of the name.
    /// - Returns: Nobody if nobody was found.
    /// - Throws: ``KithError`` with `invalid`, `offline`, `busy`, `unauthorized` or `noServer`: who asks in vain is told so.
    public func searchDirectory(_ name: String) async throws -> DirectoryFinding {
        guard DirectoryName(sought: name) != nil else { throw KithError(.invalid, DirectoryName.rule, field: "name") }
        let answer = try await client.engine.withSession { try await $0.directory(name: name, token: $1) }
        return DirectoryFinding(people: answer.people.map(Person.init), hasMore: answer.more ?? false)
    }
}
