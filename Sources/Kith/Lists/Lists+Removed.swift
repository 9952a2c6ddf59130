public import KithModel

extension Lists {
    /// The people whom the owner of a list has removed, the last removed first. Needs the server.
    ///
    /// No invitation link lets them in until ``letIn(_:to:)`` does. Someone who left by themselves is not among them.
    ///
    /// - Throws: ``KithError`` with the code `notFound` if the list is not mine.
    public func removedPeople(of list: ListID) async throws -> [RemovedPerson] {
        try await client.engine.afterRound { try await $0.removedPeople(of: list, token: $1) }
    }

    /// Lets someone join a list again whom its owner has removed. They join by an invitation link. Needs the server.
    ///
    /// - Throws: ``KithError`` with the code `notFound` if the list is not mine, or does not keep them out.
    public func letIn(_ account: AccountID, to list: ListID) async throws {
        try await client.engine.afterRound { try await $0.letIn(account, to: list, token: $1) }
    }
}
