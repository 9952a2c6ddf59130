import Foundation
import Simulation
import Synchronization

/// The run of many seeds by several workers: which seed is next, what has failed, and how far it is.
final class Run: Sendable {
    private struct State {
        var next: UInt64?
        var ended: UInt64 = 0
        /// The failures, as they are printed, by their seeds.
        var failures: [UInt64: String] = [:]
        var told: ContinuousClock.Instant
    }

    private let seeds: ClosedRange<UInt64>
    private let stopsAtFirst: Bool
    private let hasOnlyDevices: Bool
    private let versions: VersionPair?
    private let storage: ServerStorage
    private let time: Duration?
    private let start: ContinuousClock.Instant
    private let state: Mutex<State>

    init(_ arguments: Arguments, storage: ServerStorage) {
        seeds = arguments.seeds
        stopsAtFirst = arguments.stopsAtFirst
        hasOnlyDevices = arguments.hasOnlyDevices
        versions = arguments.versions
        self.storage = storage
        time = arguments.time
        let now = ContinuousClock.now
        start = now
        state = Mutex(State(next: seeds.lowerBound, told: now))
    }

    /// Runs seeds until none is left or the time is up. Each worker does this once.
    func work() async {
        while let seed = take() {
            let failure = await Seed(seed, onlyDevices: hasOnlyDevices, versions: versions, storage: storage).failure()
            note(failure, of: seed)
        }
    }

    /// Tells how the run has ended.
    ///
    /// - Returns: Whether every law held.
    func end() -> Bool {
        let (failures, ended) = state.withLock { ($0.failures, $0.ended) }
        if stopsAtFirst, let first = failures.min(by: { $0.key < $1.key }) { say(first.value) }
        say("\(summary(ended, failures.count)) (\(seconds) s, \(rate(of: ended)) seeds a second).")
        if let time, ended < seeds.count {
            let left = seeds.count - Int(ended)
            say("The time of \(time.components.seconds / 60) minutes was up: \(left) seeds were not run.")
        }
        if !failures.isEmpty {
            say("Seeds: \(failures.keys.sorted().map(String.init).joined(separator: ", "))")
        }
        return failures.isEmpty
    }

    private func take() -> UInt64? {
        state.withLock { state in
            guard let seed = state.next, !stopsAtFirst || state.failures.isEmpty else { return nil }
            if let time, start.duration(to: .now) >= time { return nil }
            state.next = seed < seeds.upperBound ? seed + 1 : nil
            return seed
        }
    }

    private func note(_ failure: String?, of seed: UInt64) {
        let progress: String? = state.withLock { state in
            state.ended += 1
            state.failures[seed] = failure
            guard state.told.duration(to: .now) >= Self.pause else { return nil }
            state.told = .now
            return summary(state.ended, state.failures.count)
        }
        if let failure, !stopsAtFirst { say(failure + "\n") }
        if let progress { say("\(progress) (after \(seconds) s)") }
    }

    private func summary(_ ended: UInt64, _ failed: Int) -> String {
        "\(ended) of \(seeds.count) seeds: the laws hold in \(ended - UInt64(failed)), and break in \(failed)"
    }

    private func rate(of ended: UInt64) -> String {
        String(format: "%.1f", Double(ended) / (start.duration(to: .now) / .seconds(1)))
    }

    /// Prints past all buffers: whoever reads a pipe sees at once how far it is.
    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private var seconds: Int64 { start.duration(to: .now).components.seconds }

    /// How often the run says how far it is.
    private static let pause = Duration.seconds(10)
}
