import Kith
import KithModel

/// Everything that one device shows of what its account shares, and of what comes of it.
struct SharingLook {
    let account: AccountID?
    let shareables: [Shareable]
    /// The shareables whose links work, as the device says.
    private(set) var ready: Set<ShareableID> = []
    let shares: [Share]
    let claims: [Claim]
    let referrals: [Referral]
    let rewards: [Reward]
    /// The number of unsent edits.
    let waiting: Int

    init(_ device: AccountsDevice) async throws {
        let sharing = device.client.sharing
        account = try await device.client.session.account()
        shareables = try await sharing.shareables()
        for shareable in shareables {
            if try await sharing.isReady(shareable.id) { ready.insert(shareable.id) }
        }
        shares = try await sharing.shares()
        claims = try await sharing.claims()
        referrals = try await sharing.referrals()
        rewards = try await sharing.rewards()
        waiting = try await device.client.status().waiting
    }

    /// The records that people make.
    var made: [RecordID<Never>] {
        shareables.map { $0.id.retyped(as: Never.self) } + shares.map { $0.id.retyped(as: Never.self) }
            + claims.map { $0.id.retyped(as: Never.self) }
    }

    /// The records that the server makes.
    var given: [RecordID<Never>] {
        referrals.map { $0.id.retyped(as: Never.self) } + rewards.map { $0.id.retyped(as: Never.self) }
    }
}
