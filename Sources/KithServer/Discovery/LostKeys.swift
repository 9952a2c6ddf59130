/// The keys of discovery whose secrets the server's file lacks, and how long the server waits for them.
///
/// The file may only be the wrong one. If the operator puts the right one back in time, nothing has changed.
package struct LostKeys: Sendable {
    /// How long the server waits for the secret of a key.
    package static let patience = Duration.seconds(600)

    /// What to do about the lost keys.
    package struct Decision: Hashable, Sendable {
        /// The keys to report: they are missing for the first time.
        package var found: [String]
        /// The keys to give up.
        package var givenUp: Set<String>

        package init(found: [String], givenUp: Set<String>) { (self.found, self.givenUp) = (found, givenUp) }
    }

    /// Since when each key is missing.
    private var since: [String: Duration] = [:]

    package init() {}

    /// Decides what to do about the keys that are missing now.
    ///
    /// - Parameters:
    ///   - lost: Their ids.
    ///   - uptime: The time since any fixed moment.
    /// - Returns: The decision.
    package mutating func decide(_ lost: Set<String>, at uptime: Duration) -> Decision {
        since = since.filter { lost.contains($0.key) }
        let found = lost.subtracting(since.keys).sorted()
        for key in found { since[key] = uptime }
        return Decision(
            found: found, givenUp: Set(since.filter { uptime - $0.value >= Self.patience }.keys))
    }
}
