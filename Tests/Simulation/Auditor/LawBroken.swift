import Foundation

/// The error for a law that does not hold.
struct LawBroken: Error, CustomStringConvertible {
    let seed: UInt64
    let step: Int
    let law: Law
    let detail: String
    let timeline: [String]
    /// What to add to the command that replays the seed.
    var replayOptions = ""

    var description: String {
        """
        Seed \(seed), step \(step): \(law.rawValue)
        \(detail)
        \(Seed.replay(of: seed))\(replayOptions)
        \(timeline.suffix(Int(ProcessInfo.processInfo.environment["KITH_TIMELINE"] ?? "") ?? 40).joined(separator: "\n"))
        """
    }
}
