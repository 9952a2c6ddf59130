import KithModel

/// The hazards of a world of clients. Each world has some of them, so that a failure has few possible causes.
struct ClientHazards {
    /// Whether requests and answers are lost.
    let loss: Bool
    /// Whether requests arrive twice.
    let doubling: Bool
    let deviceCrashes: Bool
    /// Whether the server dies in requests, in its background work, and in the operator's decisions.
    let serverCrashes: Bool
    /// Whether the mail relay fails, doubles and delays.
    let badMail: Bool

    init(using random: inout SplitMix64) {
        loss = random.oneIn(2)
        doubling = random.oneIn(2)
        deviceCrashes = random.oneIn(2)
        serverCrashes = random.oneIn(2)
        badMail = random.oneIn(2)
    }
}
