/// A device's request in one round: its mutations and its read position.
///
/// `POST /v1/sync`; see `Documentation/Protocol.md`, section "A round".
package struct SyncRequest: Hashable, Sendable, Codable {
    /// The account that the device assumes. The server compares it with the session's, so that the outbox of one
    /// account is never sent as another's.
    package var account: AccountID
    /// The device that sends the request and has numbered the mutations.
    package var device: DeviceID
    /// The last mutation that the device knows to be taken.
    package var acknowledged: Acknowledgement
    /// The highest number that the device has ever assigned to a mutation.
    package var sent: Int64
    /// The mutations after `acknowledged`, ordered by number, at most ``Limits/mutations``.
    package var mutations: [Mutation]
    /// The token of the last answer; nil in the first round.
    package var token: SyncToken?
    /// Feeds to reread, because the device's records differ from the server's.
    package var reread: [FeedID]?
    /// The kind of the account, as far as the device knows; nil from older clients.
    package var kind: String?

    /// Creates a request with these properties.
    package init(
        account: AccountID, device: DeviceID, acknowledged: Acknowledgement, sent: Int64, mutations: [Mutation],
        token: SyncToken?, reread: [FeedID]? = nil, kind: String? = nil
    ) {
        self.account = account
        self.device = device
        self.acknowledged = acknowledged
        self.sent = sent
        self.mutations = mutations
        self.token = token
        self.reread = reread
        self.kind = kind
    }
}
