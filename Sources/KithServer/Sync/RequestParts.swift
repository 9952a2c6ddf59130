import KithModel

/// A large request that is pushed part by part, and how much of it was taken.
///
/// Each part is sent as if the device knew that the earlier ones were taken, so that no push reads their outcomes again.
package struct RequestParts: Sendable {
    private let whole: SyncRound
    /// The round without what was taken, to push next.
    package private(set) var rest: SyncRound
    /// The records of the earlier parts, as the last one has left them; nil if they are to be read.
    package private(set) var named: NamedRecords? = NamedRecords()

    package init(_ round: SyncRound) {
        (whole, rest) = (round, round)
    }

    /// Whether no part was taken yet.
    var areUntouched: Bool { rest.request.mutations.count == whole.request.mutations.count }

    /// Takes the result of ``rest``.
    ///
    /// - Returns: The result of the whole request; nil if there is another part to push.
    package mutating func take(_ pushed: PushResult) -> PushResult? {
        if pushed.isComplete(for: whole.request) {
            var all = pushed
            // This push knows the outcomes and the feeds of the last part only. The answer finds the feeds of earlier parts, which
            // have other revisions.
            if !areUntouched && pushed.standing == .recognised { all.outcomes = nil }
            return all
        }
        // They wait in memory until the answer is read. So they are kept only if they fit into one.
        named = pushed.named.flatMap { $0.bytes <= Limits.pageBytes ? $0 : nil }
        rest = whole.rest(after: pushed.acknowledged)
        return nil
    }
}
