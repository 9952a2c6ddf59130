package import Foundation

/// A rate limit as ``RateExchange`` sees it.
package protocol SharedLimit: Sendable {
    /// The name of the limit, which is the same at every node.
    var kind: String { get }

    /// What was taken here and not told yet. ``merge(_:at:)`` or ``putBack()`` must follow.
    func report(at now: Duration) -> [RateUse]

    /// Takes the times until the buckets of callers are full.
    func merge(_ times: [Data: Duration], at now: Duration)

    /// Takes back a report that has failed.
    func putBack()
}
