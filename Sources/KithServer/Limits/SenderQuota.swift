import KithModel

/// The messages that one account, and all accounts in its network together, may send to others in one day (UTC).
struct SenderQuota {
    let ofAccount: DailyQuota
    let ofNetwork: DailyQuota

    /// Counts one message of `account` in `network`; nil if that is not known. Returns false if one of the quotas is used up:
    /// then nothing is counted.
    func take(
        by account: AccountID, in network: NetworkHash?, at now: Timestamp, in transaction: any Transaction
    ) throws -> Bool {
        let network = network.map { DailyQuota.Subject.network($0) }
        if try ofAccount.allowance(of: .account(account), at: now, in: transaction).left < 1 { return false }
        if let network, try ofNetwork.allowance(of: network, at: now, in: transaction).left < 1 { return false }
        try ofAccount.take(by: .account(account), at: now, in: transaction)
        if let network { try ofNetwork.take(by: network, at: now, in: transaction) }
        return true
    }
}
