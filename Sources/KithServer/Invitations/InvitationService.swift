package import KithModel

/// Shows and accepts invitations by their links, and does the work of the background job, which sends invitations and
/// carries out the answers.
///
/// Edits of the records do everything else: see ``InvitationRules``.
package struct InvitationService: Sendable {
    private let database: any Database
    private let signals: SignalSender
    private let dependencies: InvitationDependencies

    /// A service over `database`, which sends the signals of its commits.
    package init(database: any Database, signals: SignalSender, dependencies: InvitationDependencies) {
        (self.database, self.signals, self.dependencies) = (database, signals, dependencies)
    }

    /// What the invitation with this secret offers.
    ///
    /// - Parameters:
    ///   - secret: The secret of the link.
    ///   - evenAccepted: Whether an accepted invitation has a preview too.
    ///   - now: The server's time.
    /// - Returns: The preview.
    /// - Throws: ``ServerError`` with the code `notFound`, or `linkExpired`, also if the list was deleted or has another
    ///   owner.
    package func preview(
        _ secret: String, evenAccepted: Bool = false, at now: Timestamp
    ) async throws -> InvitationPreview {
        let server = database.server
        return try await database.read { transaction in
            let row = try Self.row(secret, in: transaction)
            let isRepeated = evenAccepted && row.state == .accepted
            guard row.state == .pending || isRepeated else { throw InvitationRefusal.used.error }
            guard row.expires > now || isRepeated else { throw InvitationRefusal.expired.error }
            let sent = try RecordRow.read([row.sent], in: transaction)[row.sent]?.state
            guard let sent, !sent.isDeleted, let invitation = Invitation(row.sent, sent),
                invitation.status != .cancelled
            else { throw InvitationRefusal.used.error }
            // Nobody can join a list that was deleted, or by an invitation of its former owner.
            if !isRepeated, let list = invitation.purpose.list, try !Self.owns(list, row.account, in: transaction) {
                throw InvitationRefusal.noList.error
            }
            let list = invitation.purpose.list.map { RecordPlace.list($0.retyped()) }
            let profile = RecordPlace.profile(of: row.account)
            let records = try RecordRow.read(Set([profile] + [list].compactMap(\.self)), in: transaction)
            let shown = Profile.shown(records[profile]?.state.fields ?? [:], toNetwork: false)
            var role: Role?
            if case .list(_, let offered) = invitation.purpose { role = offered }
            return InvitationPreview(
                inviter: Profile(shown).fullName, list: list.flatMap { records[$0]?.state.fields["name"]?.text },
                role: role, connects: invitation.purpose != .join, text: invitation.text, expires: row.expires,
                server: server)
        }
    }

    /// Accepts the invitation with this secret on behalf of an account. Repeating it has no further effect, and gives the
    /// same answer.
    ///
    /// - Throws: ``ServerError`` with the code `notFound`, `linkExpired`, `conflict` for the inviter, `forbidden` if the
    ///   account has blocked the inviter or was removed from the list, `tooMany` if there is no room.
    package func accept(_ secret: String, by account: AccountID, at now: Timestamp) async throws -> InvitationAcceptance
    {
        let dependencies = dependencies
        let result = try await signals.commit(in: database) { transaction in
            let row = try Self.row(secret, isLocking: true, in: transaction)
            let acceptor = InvitationAcceptor(transaction: transaction, now: now, dependencies: dependencies)
            return try acceptor.accept(row, by: account, .link)
        }
        dependencies.messages.wake()
        return try result.mapError(\.error).get()
    }

    /// Whether an account owns a list. Nobody has access to a deleted list.
    private static func owns(_ list: ListID, _ account: AccountID, in transaction: any Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM access WHERE account = ? AND feed = ? AND role = ?",
            [.id(account), .id(list), .text(Role.owner.rawValue)])
    }

    private static func row(
        _ secret: String, isLocking: Bool = false, in transaction: any Transaction
    ) throws -> InvitationRow {
        let row = try InvitationRow.find(linkHash: Secret.sha256(secret), isLocking: isLocking, in: transaction)
        guard let row else {
            throw ServerError(
                .notFound, "There is no such invitation. It was revoked, or the link was not copied whole.")
        }
        return row
    }

    // MARK: - The background job

    /// Does everything that is due. An invitation that cannot be processed waits, so that it does not hold up the others.
    ///
    /// - Parameter now: The server's time. Each step asks for it, because it may carry out an order that was given after the
    ///   first one.
    /// - Throws: The last error, after everything else was done. ``ServerError`` with the code `busy` at once,
    ///   unless a damaged record is its cause.
    package func work(at now: @autoclosure @escaping @Sendable () -> Timestamp) async throws {
        try await Self.dueWork(dependencies, at: now).finish(in: database, signals) { dependencies.messages.wake() }
    }

    /// ``work(at:)`` without waiting, for tests.
    ///
    /// - Returns: The signals of its commits.
    @discardableResult
    package static func workNow(
        _ dependencies: InvitationDependencies, at now: Timestamp, on database: any ImmediateDatabase
    ) throws -> Signals {
        try dueWork(dependencies) { now }.finishNow(in: database)
    }

    private static func dueWork(
        _ dependencies: InvitationDependencies, at now: @escaping @Sendable () -> Timestamp
    ) -> DueWork<RecordPlace> {
        DueWork(
            own: [.invitations, .connections],
            isWaiting: { try InvitationRow.isWaiting(at: now(), in: $0) },
            step: { transaction, note in
                try InvitationWork(transaction: transaction, now: now(), dependencies: dependencies).take(note)
            },
            postpone: { sent, transaction in try InvitationRow.postpone(sent, at: now(), in: transaction) })
    }

    /// Writes into the inviter's record that a message did not reach its recipient. Call it in the transaction in which
    /// the message fails.
    ///
    /// - Returns: The signals to send after the commit; nil if the message was about no invitation.
    package static func noteFailure(
        _ message: FailedMessage, _ dependencies: InvitationDependencies, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> Signals? {
        try InvitationWork(transaction: transaction, now: now, dependencies: dependencies).fail(message)
    }

    /// ``noteFailure(_:_:at:in:)`` in another process than the server: makes the server's background job do it, which
    /// then tells the inviter's devices. An invitation with other work is written at once.
    package static func scheduleFailure(
        _ message: FailedMessage, _ dependencies: InvitationDependencies, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        guard let row = try InvitationRow.find(message: message.id, in: transaction), row.state == .pending else {
            return
        }
        if !row.hasWork {
            try InvitationRow.schedule(
                .fail, for: [row.sent], from: row.network, due: WorkTurn.ofServer(at: now), in: transaction)
        } else {
            _ = try noteFailure(message, dependencies, at: now, in: transaction)
        }
    }
}
