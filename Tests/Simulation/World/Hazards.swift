import KithModel

/// The hazards in the world of one seed. Each seed has some of them, so that a failure has few possible causes, and
/// rare hazards are sometimes combined.
struct Hazards {
    var loss = false
    var doubling = false
    var lateness = false
    var clientCrashes = false
    var serverCrashes = false
    var clockJumps = false
    var accountSwitches = false
    var revocation = false
    var copies = false
    var restore = false
    var neverReached = false
    /// Whether people send and answer requests, block others, and edit their profiles.
    var people = false
    /// Whether accounts are deleted.
    var deletion = false
    /// Whether some devices, and perhaps the server, have older versions, and devices are upgraded.
    var versions = false
    /// Whether servers are too busy from time to time.
    var refusals = false
    /// Whether devices sync when their engines decide, instead of at random times.
    var engine = false
    /// Whether weeks pass and servers purge old data.
    var ages = false
    /// Whether records disappear from the devices' files, and the digests that detect this become invalid.
    var damage = false
    /// The maximum number of records in one answer.
    var page = 10_000
    /// The maximum number of mutations that a server applies in one transaction.
    var part = Int.max

    init(using random: inout SplitMix64) {
        loss = random.oneIn(2)
        doubling = random.oneIn(2)
        lateness = random.oneIn(2)
        clientCrashes = random.oneIn(2)
        serverCrashes = random.oneIn(2)
        clockJumps = random.oneIn(2)
        accountSwitches = random.oneIn(3)
        revocation = random.oneIn(3)
        copies = random.oneIn(4)
        restore = random.oneIn(4)
        neverReached = random.oneIn(3)
        people = random.oneIn(2)
        deletion = people && random.oneIn(3)
        versions = random.oneIn(3)
        refusals = random.oneIn(3)
        engine = random.oneIn(2)
        // After a restore, a device can resend only the mutations of the last days, so time must not pass.
        ages = !restore && !copies && !people && random.oneIn(3)
        damage = random.oneIn(4)
        if random.oneIn(2) { page = Int.random(in: 1...6, using: &random) }
        if random.oneIn(3) { part = Int.random(in: 1...3, using: &random) }
    }

    var summary: String {
        let names: [(String, Bool)] = [
            ("loss", loss), ("doubling", doubling), ("lateness", lateness), ("client crashes", clientCrashes),
            ("server crashes", serverCrashes), ("clock jumps", clockJumps), ("account switches", accountSwitches),
            ("revocation", revocation), ("copies", copies), ("restore", restore), ("never reached", neverReached),
            ("people", people), ("deletion", deletion), ("versions", versions), ("refusals", refusals),
            ("engine", engine), ("ages", ages),
            ("damage", damage),
        ]
        return names.filter(\.1).map(\.0).joined(separator: ", ") + "; pages of \(page)"
            + (part == .max ? "" : ", pushes taken \(part) by \(part)")
    }
}
