import KithModel
import KithServer

/// Rounds for tests of what a round does, and not of how ``SyncService`` divides it.
extension ImmediateDatabase {
    /// Performs a round on the caller's thread: takes all mutations in one transaction, and reads the answer in another.
    func sync(
        _ request: SyncRequest, as account: AccountID, at now: Timestamp, size: AnswerSize = .whole,
        under terms: SyncRound.Terms = SyncRound.Terms()
    ) throws -> Synced {
        try RequestForm.check(request, from: account)
        let round = SyncRound(request, as: account, at: now, under: terms)
        let pushed = try request.mutations.isEmpty ? nil : writeNow { try round.push(after: NamedRecords(), in: $0) }
        return try readNow { try round.pull(after: pushed, size: size, in: $0) }
    }
}
