import KithModel

/// The hazards in a world of sharing. Each world has some of them, so that a failure has few possible causes.
struct SharingHazards {
    /// Whether requests and answers are lost.
    let loss: Bool
    /// Whether requests arrive twice.
    let doubling: Bool
    let deviceCrashes: Bool
    /// Whether the server dies in requests, in its background work, and in the operator's decisions.
    let serverCrashes: Bool
    /// Whether the mail relay fails, doubles and delays.
    let badMail: Bool
    /// Whether accounts are deleted.
    let deletion: Bool
    /// Whether people log out, and go on with new accounts.
    let newAccounts: Bool
    /// Whether the operator pauses programmes.
    let pauses: Bool

    init(using random: inout SplitMix64) {
        loss = random.oneIn(2)
        doubling = random.oneIn(2)
        deviceCrashes = random.oneIn(2)
        serverCrashes = random.oneIn(2)
        badMail = random.oneIn(2)
        deletion = random.oneIn(2)
        newAccounts = random.oneIn(2)
        pauses = random.oneIn(3)
    }
}
