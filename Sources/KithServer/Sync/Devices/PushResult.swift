package import KithModel

/// The result of a push, which the pull continues with.
package struct PushResult: Hashable, Sendable {
    /// Whether the server's knowledge of the device agrees with the device's own.
    package var standing: DeviceStanding
    /// The last number that is taken from the device now. A copy that uses the same identity may send more before
    /// the answer is read; this device must not learn of that.
    package var acknowledged: Acknowledgement
    /// The outcomes for the answer. For a copy, they are those of its mutations that were taken; otherwise those of all
    /// mutations that the device does not know to be taken, without the applied ones. Nil if they are to be read.
    package var outcomes: [MutationOutcome]?
    /// The records that the mutations have named, with those of earlier parts, as the push has left them; nil if they
    /// are to be read.
    package var named: NamedRecords?
    /// The feeds that the push has changed and the account can read, as the push has left them; nil if they are to be read.
    package var feeds: [SelectedFeed]?
    /// The signals to send.
    package var signals = Signals()
    /// The revision of the changes; zero if nothing has changed.
    package var revision = Revision.zero

    /// Whether every mutation of the request was taken.
    func isComplete(for request: SyncRequest) -> Bool {
        standing != .recognised || request.mutations.allSatisfy { $0.number <= acknowledged.number }
    }

    /// The feeds that the push has changed, for a device that has read everything up to `start`; nil if they are to be read,
    /// because others, or an earlier part of the request, may have changed them between `start` and the push.
    ///
    /// They are also read if `start` is not before the push, because the server was restored from a backup. A query of what is
    /// later than `start` would not find what others have changed since the push.
    func feeds(since start: Revision) -> [SelectedFeed]? {
        guard let feeds, start < revision, feeds.allSatisfy({ $0.granted <= start }) else { return nil }
        return feeds
    }
}
