import KithModel

/// The hazards in a world of invitations. Each world has some of them, so that a failure has few possible causes.
struct InvitationHazards {
    /// Whether requests and answers are lost.
    let loss: Bool
    /// Whether requests arrive twice.
    let doubling: Bool
    let deviceCrashes: Bool
    let serverCrashes: Bool
    /// Whether the mail relay fails, doubles and delays.
    let badMail: Bool
    /// Whether accounts are deleted.
    let deletion: Bool
    /// Whether people block or remove each other, leave lists, or remove others from them.
    let partings: Bool
    /// Whether days pass, so that declined invitations can be sent again, and others expire.
    let ages: Bool

    init(using random: inout SplitMix64) {
        loss = random.oneIn(2)
        doubling = random.oneIn(2)
        deviceCrashes = random.oneIn(2)
        serverCrashes = random.oneIn(2)
        badMail = random.oneIn(2)
        deletion = random.oneIn(3)
        partings = random.oneIn(3)
        ages = random.oneIn(3)
    }
}
