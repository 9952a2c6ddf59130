package import KithModel

/// Does rounds: takes a device's mutations, then reads what is new for it.
package struct SyncService: Sendable {
    private let database: any Database
    private let page: Int

    /// A service over `database`.
    package init(database: any Database) {
        self.init(database: database, page: Limits.page)
    }

    /// A service over `database`, with at most `page` records in an answer.
    package init(database: any Database, page: Int) {
        self.database = database
        self.page = page
    }

    /// Does the round that `request` asks for, in the name of `account`.
    ///
    /// The mutations are durable before the answer is read, and the answer is
    /// read before anyone is signalled. If it cannot be read they are signalled
    /// all the same: when the device asks again, nothing will have moved. A
    /// request without mutations writes nothing.
    ///
    /// - Parameters:
    ///   - request: What the device sends.
    ///   - account: The account of the device's session.
    ///   - now: The server's time.
    ///   - seen: When the account was last online, if that is not written down yet: now, if it is.
    ///   - signal: Called once with who is to be told of something, if the mutations were taken.
    /// - Throws: ``ServerError`` with the code `accountMismatch`, `malformed` with the path, or `tooMany`; then
    ///   nothing has changed. `busy` when the database is away: then it is not known whether the mutations were
    ///   taken, and the device sends the same again.
    /// - Returns: The answer, and who is to be told of something.
    package func sync(
        _ request: SyncRequest, as account: AccountID, at now: Timestamp, seen: Timestamp? = nil,
        signal: (Signals) async -> Void = { _ in }
    ) async throws -> Synced {
        try RequestForm.check(request, from: account)
        var pushed: SyncRound.Pushed?
        if !request.mutations.isEmpty {
            // Made out here, because there is one writer and it is waited for.
            let hashes = request.mutations.map(\.hash)
            pushed = try await database.write { transaction in
                try SyncRound.push(request, account: account, at: now, seen: seen, hashes: hashes, in: transaction)
            }
        }
        do {
            let synced = try await database.read { [pushed, page] transaction in
                try SyncRound.end(request, account: account, at: now, after: pushed, page: page, in: transaction)
            }
            await signal(synced.signals)
            return synced
        } catch {
            if let pushed { await signal(pushed.signals) }
            throw error
        }
    }

    /// ``sync(_:as:at:)`` without waiting, for the simulation.
    package static func syncNow(
        _ request: SyncRequest, as account: AccountID, at now: Timestamp, page: Int = Limits.page,
        bytes: Int = Limits.pageBytes, on database: SQLiteDatabase
    ) throws -> Synced {
        try RequestForm.check(request, from: account)
        var pushed: SyncRound.Pushed?
        if !request.mutations.isEmpty {
            pushed = try database.writeNow { transaction in
                try SyncRound.push(request, account: account, at: now, in: transaction)
            }
        }
        return try database.readNow { [pushed] transaction in
            try SyncRound.end(
                request, account: account, at: now, after: pushed, page: page, bytes: bytes, in: transaction)
        }
    }
}

/// What came of a round.
package struct Synced: Hashable, Sendable {
    /// What the device is answered.
    package var answer: SyncAnswer
    /// Who is to be told of what the round's mutations have done.
    package var signals: Signals

    /// A round with this answer, and what is to be told of it.
    package init(answer: SyncAnswer, signals: Signals) {
        self.answer = answer
        self.signals = signals
    }
}
