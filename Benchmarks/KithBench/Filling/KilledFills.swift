import BenchReport
import Foundation
import KithModel

/// Fills that are killed at random moments, and then go on.
///
/// What a device loses is the difference between the items of the answers that it had when it was killed and the items
/// in its replica afterwards.
struct KilledFills {
    private let answers: FillAnswers
    private let replica: URL
    private var count = 0
    private var mostLost = 0

    static func measure(_ answers: FillAnswers, in folder: URL, _ run: Run) throws {
        var fills = KilledFills(answers: answers, replica: folder.appending(path: "killed.sqlite"))
        let wanted = run.size(40, smoke: 5)
        let whole = try fills.fillAtOnce()
        var random = SplitMix64(seed: 3)
        while fills.count < wanted { try fills.fill(killing: wanted, within: whole, &random) }
        run.line(
            "\(fills.count) fills killed at random moments: most rows to send again", .count(Double(fills.mostLost)),
            wanted: .atMost(.count(Double(Limits.page))))
    }

    private init(answers: FillAnswers, replica: URL) { (self.answers, self.replica) = (answers, replica) }

    /// The time of a fill that is not killed.
    private mutating func fillAtOnce() throws -> Duration {
        let process = try FillingProcess(replica)
        let start = ContinuousClock.now
        let isFilled = try process.wait()
        let time = ContinuousClock.now - start
        try Mismatch.unless(isFilled && stored() == answers.items.last, "The first fill has failed.")
        try clear()
        return time
    }

    /// Fills the replica, however often the process is killed, and deletes it at the end.
    private mutating func fill(killing most: Int, within whole: Duration, _ random: inout SplitMix64) throws {
        var isFilled = false
        while !isFilled {
            let process = try FillingProcess(replica)
            if count < most {
                usleep(UInt32.random(in: 0...UInt32(whole / .microseconds(1)), using: &random))
                process.end()
            }
            isFilled = try process.wait()
            let rows = stored()
            try Mismatch.unless(rows == 0 || answers.items.contains(rows), "A part of an answer was stored.")
            try Mismatch.unless(rows >= process.last("stored") ?? 0, "What was stored is gone.")
            if isFilled {
                try Mismatch.unless(rows == answers.items.last, "A fill has ended too early.")
            } else {
                count += 1
                if let taken = process.last("takes") { mostLost = max(mostLost, taken - rows) }
            }
        }
        try clear()
    }

    /// The number of items in the replica, opened again.
    private func stored() -> Int {
        let floor = Floor(path: replica.path())
        return floor.count(of: "item")
    }

    private func clear() throws {
        for end in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: replica.path() + end)
        }
    }
}
