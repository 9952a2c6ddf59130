import Kith
import KithDiscovery

/// Reports changes until Ctrl-C.
struct ChangeWatch: Sendable {
    let context: CommandContext
    private var client: KithClient { context.client }

    /// How often to check whether another `kith` has changed something in the same folder.
    private static let glance = Duration.milliseconds(500)

    /// Stays in sync, and passes on each change as it arrives, until Ctrl-C.
    func run(_ tell: (ObservedChange) async throws -> Void) async throws {
        let (news, teller) = AsyncThrowingStream.makeStream(of: ObservedChange.self)
        let end = EndSignal { _ in teller.finish() }
        defer { end.cancel() }

        // Listening begins before syncing, so that new changes are reported as news and not as state.
        let observedChanges = client.observedChanges(every: Self.glance)
        try await withThrowingTaskGroup { group in
            group.addTask {
                do {
                    for try await sighting in observedChanges { teller.yield(sighting) }
                } catch {
                    teller.finish(throwing: error)
                }
            }
            if context.asksServer {
                // The client runs discovery only if this was read.
                _ = client.discovery
                group.addTask { await client.run() }
                group.addTask { await noteTroubles() }
            }
            defer { group.cancelAll() }
            for try await sighting in news { try await tell(sighting) }
        }
    }

    /// Reports on standard error when the server cannot be reached, and when it is back.
    ///
    /// Errors of an earlier command are not reported: the first round shows whether they persist. But if the server has asked
    /// to wait, there is no round yet, and that is reported.
    private func noteTroubles() async {
        var last: String?
        var first: SyncStatus?
        var isAsked = false
        for await status in client.liveStatus() {
            if first == nil, let time = status.busyUntil {
                await context.unsentEdits.noteBusy(until: time)
                last = status.lastError?.sentence
            }
            let before = first ?? status
            first = before
            // Before the first round, the loop may only have removed the time of the next attempt.
            let hasFailed = status.retryAt != nil && status.retryAt != before.retryAt
            isAsked = isAsked || status.isSyncing || status.lastError != before.lastError || hasFailed
            guard isAsked && !status.isSyncing, status.lastError?.sentence != last else { continue }
            if let sentence = status.lastError?.sentence {
                context.console.note(sentence.printable)
            } else if last != nil {
                context.console.note("In step with \(context.serverName) again.")
            }
            last = status.lastError?.sentence
        }
    }
}
