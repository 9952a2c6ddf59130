package import KithModel

/// Creates, shows, revokes and accepts the links of lists: invitations, and public links for reading.
///
/// Only a list's owner creates, sees and revokes its links. For anyone else, the list does not exist.
package struct LinkService: Sendable {
    private let database: any Database
    private let signals: SignalSender
    private let random: @Sendable () -> [UInt8]

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of the links.
    ///   - signals: Sends the signals of its commits.
    ///   - random: Returns 32 fresh random bytes: those of libsodium, unless a test supplies its own.
    package init(
        database: any Database, signals: SignalSender = .none, random: (@Sendable () -> [UInt8])? = nil
    ) {
        self.database = database
        self.signals = signals
        self.random = random ?? { Secret.random() }
    }

    /// Creates a link. The answer has its token, which is shown only once. The caller sets `url`.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` to anyone but the owner, `malformed` for an invalid role or
    ///   expiry, `tooMany` at ``Limits/links`` live links.
    package func create(
        _ request: LinkRequest, for list: ListID, by account: AccountID, at now: Timestamp
    ) async throws -> ListLink {
        let random = random
        return try await commit { transaction in
            try within(transaction, now).create(request, for: list, by: account, random)
        }
    }

    /// The live links of a list, oldest first.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` to anyone but the owner.
    package func links(of list: ListID, by account: AccountID, at now: Timestamp) async throws -> ListLinks {
        try await database.read { transaction in
            try within(transaction, now).links(of: list, by: account)
        }
    }

    /// Revokes a link: nobody can join or read with it any more.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` to anyone but the owner, or if the link does not exist.
    package func revoke(
        _ link: LinkID, of list: ListID, by account: AccountID, at now: Timestamp
    ) async throws -> ListLink {
        try await commit { transaction in
            try within(transaction, now).revoke(link, of: list, by: account)
        }
    }

    /// The people whom the list's owner has removed. They cannot join with an invitation link.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` to anyone but the owner.
    package func removed(of list: ListID, by account: AccountID, at now: Timestamp) async throws -> RemovedPeople {
        try await database.read { transaction in try within(transaction, now).removed(of: list, by: account) }
    }

    /// Lets a person whom the owner has removed join with an invitation link again.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` to anyone but the owner, or if the person was not removed.
    package func letIn(
        _ person: AccountID, to list: ListID, by account: AccountID, at now: Timestamp
    ) async throws {
        try await database.write { transaction in
            try within(transaction, now).letIn(person, to: list, by: account)
        }
    }

    /// A preview of the link of `token`. It needs no session: anyone with the token may see it.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` or `linkExpired`.
    package func preview(_ token: String, at now: Timestamp) async throws -> LinkPreview {
        try await database.read { transaction in try within(transaction, now).preview(token) }
    }

    /// Lets `account` join the list of an invitation. Accepting twice has the same effect as accepting once, and never
    /// lowers a role.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` or `linkExpired`, `conflict` to the list's owner, `forbidden`
    ///   to someone whom the owner has removed, `tooMany` if the list has ``Limits/members`` people or the account has
    ///   ``Limits/lists`` lists.
    package func accept(
        _ token: String, by account: AccountID, at now: Timestamp
    ) async throws -> LinkAcceptance {
        try await commit { transaction in
            try within(transaction, now).accept(token, by: account)
        }
    }

    /// The list of a public link, for anyone who has its token. It has at most ``Limits/page`` items, and at most those
    /// that fit into ``Limits/pageBytes``, in the order of their ids, which is the order of their creation.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` or `linkExpired`.
    package func publicList(_ token: String, at now: Timestamp) async throws -> PublicList {
        try await database.read { transaction in try within(transaction, now).publicList(token) }
    }

    /// Commits, then sends the signals of the commit.
    private func commit<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws -> Committed<Value>
    ) async throws -> Value {
        let committed = try await database.write(body)
        await signals.send(committed.signals)
        return committed.value
    }

    private func within(_ transaction: any Transaction, _ now: Timestamp) -> LinkTransaction {
        LinkTransaction(transaction, now, database.server)
    }
}

extension LinkService {
    /// ``create(_:for:by:at:)`` without waiting, for the simulation.
    package func createNow(
        _ request: LinkRequest, for list: ListID, by account: AccountID, at now: Timestamp,
        on database: SQLiteDatabase
    ) throws -> Committed<ListLink> {
        let random = random
        return try database.writeNow { transaction in
            try within(transaction, now).create(request, for: list, by: account, random)
        }
    }

    /// ``accept(_:by:at:)`` without waiting, for the simulation.
    package func acceptNow(
        _ token: String, by account: AccountID, at now: Timestamp, on database: SQLiteDatabase
    ) throws -> Committed<LinkAcceptance> {
        try database.writeNow { transaction in try within(transaction, now).accept(token, by: account) }
    }

    /// ``letIn(_:to:by:at:)`` without waiting, for the simulation.
    package func letInNow(
        _ person: AccountID, to list: ListID, by account: AccountID, at now: Timestamp, on database: SQLiteDatabase
    ) throws {
        try database.writeNow { transaction in try within(transaction, now).letIn(person, to: list, by: account) }
    }

    /// ``publicList(_:at:)`` without waiting, for the simulation.
    package func publicListNow(_ token: String, at now: Timestamp, on database: SQLiteDatabase) throws -> PublicList {
        try database.readNow { transaction in try within(transaction, now).publicList(token) }
    }

    /// ``revoke(_:of:by:at:)`` without waiting, for the simulation.
    package func revokeNow(
        _ link: LinkID, of list: ListID, by account: AccountID, at now: Timestamp, on database: SQLiteDatabase
    ) throws -> Committed<ListLink> {
        try database.writeNow { transaction in try within(transaction, now).revoke(link, of: list, by: account) }
    }
}
