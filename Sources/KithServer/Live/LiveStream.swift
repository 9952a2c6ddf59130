package import KithModel

/// One open stream. The hub removes it when the last reference is released, so a stream that was never written also
/// ends.
package final class LiveStream: Sendable {
    /// The pending news of a stream.
    package struct News: Hashable, Sendable {
        /// The news of feeds, and of the stream itself.
        package var feeds: LiveRegister.Batch
        /// The news of people; nil if there is none.
        package var presence: PresenceEvent?
    }

    let id: LiveRegister.ID
    package let account: AccountID
    let device: DeviceID
    /// The presence that the device has chosen at the opening; nil if it has chosen none.
    let presence: Presence.State?
    private let bell: StreamBell
    private let hub: LiveHub

    init(
        id: LiveRegister.ID, account: AccountID, device: DeviceID, presence: Presence.State?, bell: StreamBell,
        hub: LiveHub
    ) {
        self.id = id
        self.account = account
        self.device = device
        self.presence = presence
        self.bell = bell
        self.hub = hub
    }

    deinit { hub.remove(id) }

    /// Sets the feeds whose moves the stream receives.
    package func listen(to feeds: Set<FeedID>) { hub.listen(id, to: feeds) }

    /// Ends the stream after its reader has disconnected.
    package func end() { hub.end(id) }

    /// Calls `ring` whenever there is news, and at once if some is pending.
    package func whenNews(_ ring: @escaping @Sendable () -> Void) { bell.listen(ring) }

    /// Takes the pending news.
    ///
    /// - Returns: nil when the stream ends.
    package func take() -> News? {
        let news = hub.take(id)
        return news.feeds.isEnd ? nil : news
    }
}
