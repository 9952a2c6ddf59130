/// What a device sends in one round: its mutations, and how far it has read.
///
/// `POST /v1/sync`; see `Documentation/Protocol.md`, section "A round".
package struct SyncRequest: Hashable, Sendable, Codable {
    /// The account that the device believes it speaks for, checked against the
    /// session, so that one account's outbox is never pushed as another's.
    package var account: AccountID
    /// The device that asks, and that has numbered the mutations.
    package var device: DeviceID
    /// The last mutation that the device knows to have been taken.
    package var acknowledged: Acknowledgement
    /// The highest number that the device has ever given to a mutation.
    package var sent: Int64
    /// The mutations after `acknowledged`, in order of their numbers, at most ``Limits/mutations``.
    package var mutations: [Mutation]
    /// The token of the last answer; nil at first.
    package var token: SyncToken?
    /// Feeds that the device found to differ from the server, to be reread.
    package var reread: [FeedID]?

    /// A request with these properties.
    package init(
        account: AccountID, device: DeviceID, acknowledged: Acknowledgement, sent: Int64, mutations: [Mutation],
        token: SyncToken?, reread: [FeedID]? = nil
    ) {
        self.account = account
        self.device = device
        self.acknowledged = acknowledged
        self.sent = sent
        self.mutations = mutations
        self.token = token
        self.reread = reread
    }
}

/// The number of a mutation and what the server made of its content, so that
/// two devices that use one identity are told apart.
package struct Acknowledgement: Hashable, Sendable, Codable {
    /// The mutation's number; 0 before the first.
    package var number: Int64
    /// The server's hash of the mutation; empty for number 0. Opaque to the device.
    package var hash: String

    /// An acknowledgement with these properties.
    package init(number: Int64, hash: String) {
        self.number = number
        self.hash = hash
    }

    /// Nothing has been acknowledged yet.
    package static let none = Acknowledgement(number: 0, hash: "")
}

/// How far a replica has read its feeds. Opaque to the device.
package struct SyncToken: RawRepresentable, Hashable, Sendable, Codable {
    /// The token as the server wrote it.
    package let rawValue: String

    /// The token that the server wrote as `rawValue`.
    package init(rawValue: String) { self.rawValue = rawValue }
}
