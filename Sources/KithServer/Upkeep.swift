import KithModel
import Logging
import Synchronization

/// What a server does at intervals so that it stays in order. A failure is logged, and the next interval tries again.
final class Upkeep: Sendable {
    private let dependencies: ServerDependencies
    private let database: WritableDatabase
    private let signals: SignalSender
    private let discovery: DiscoveryService
    private let smsMetrics: SMSMetrics
    private let lostKeys = Mutex(LostKeys())
    private let clockWatch = Mutex(ClockWatch())

    init(
        _ dependencies: ServerDependencies, database: WritableDatabase, signals: SignalSender,
        _ discovery: DiscoveryService, _ smsMetrics: SMSMetrics
    ) {
        (self.dependencies, self.database, self.signals) = (dependencies, database, signals)
        (self.discovery, self.smsMetrics) = (discovery, smsMetrics)
    }

    /// Deletes what has reached the end of its lifetime, and maintains the database.
    func housekeep() async {
        // Each attempt is independent: if a purge fails, the server must still be able to detect a backup of this run
        // as older.
        let now = dependencies.clock.time()
        await attempt {
            guard try await trustsClock(at: now) else { return }
            await attempt { try await Housekeeping(database: dependencies.database, signals: signals).purge(now) }
            await attempt { try dependencies.gateways.purge(at: now) }
        }
        await attempt(dependencies.refresh)
    }

    /// Renews the keys of discovery, and prepares what it sends.
    func prepareDiscovery() async {
        let clock = dependencies.clock
        await attempt {
            let now = clock.time()
            let keys = dependencies.discoveryKeys
            let upkeep = DiscoveryUpkeep(database: dependencies.database, keys: keys)
            let givenUp = keys.areInFile ? report(try await upkeep.lostKeys(at: now)) : nil
            try await upkeep.run(at: now, givingUp: givenUp, deletes: try await trustsClock(at: now))
        }
        await attempt { try await discovery.prepare(at: clock.time()) }
    }

    /// Whether the clock is trusted, so that what has expired can be deleted. If it begins to be ahead, that is reported.
    private func trustsClock(at now: Timestamp) async throws -> Bool {
        let stored = try await dependencies.database.read { try Meta.value(Meta.clockName, in: $0) }
        let last = stored.flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
        switch clockWatch.withLock({ $0.judge(now, at: dependencies.clock.uptime(), last: last) }) {
        case .trusted:
            // Not at each check: a write an hour is enough to notice a jump of days.
            if let last, last <= now, now - last < .minutes(60) { return true }
            try await dependencies.database.write {
                try Meta.set(Meta.clockName, to: String(now.milliseconds), in: $0)
            }
            return true
        case .ahead(let lead, isNew: let isNew):
            guard isNew else { return false }
            dependencies.logger.warning(
                """
                The clock is days later than expected. Unless the server was stopped so long, the clock is wrong. Nothing \
                that has expired is deleted for an hour.
                """, metadata: ["days": "\(Int(lead / .days(1)))"])
            return false
        }
    }

    /// Reports lost keys of discovery.
    ///
    /// - Returns: Those to give up.
    private func report(_ lost: Set<String>) -> Set<String> {
        let decision = lostKeys.withLock { $0.decide(lost, at: dependencies.clock.uptime()) }
        for key in decision.found {
            dependencies.logger.warning(
                """
                The file of the discovery keys lacks a key. If it is the wrong file, stop the server and put the right one \
                back. In ten minutes the key is deleted, and all devices look for everybody again.
                """, metadata: ["file": "\(dependencies.configuration.discoveryKeyPath)", "key": "\(key)"])
        }
        for key in decision.givenUp.sorted() {
            dependencies.logger.critical(
                "A key of discovery whose secret is lost is deleted. All devices look for everybody again.",
                metadata: ["key": "\(key)"])
        }
        return decision.givenUp
    }

    /// Reports prefixes of numbers that are paused.
    func reportPauses() async {
        let watch = PauseWatch(database: database, metrics: smsMetrics, logger: dependencies.logger)
        await attempt { try await watch.run() }
    }

    private func attempt(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is CancellationError {
            // The server stops. The next server does this work.
        } catch {
            dependencies.logger.noteFailedWork(
                "The housekeeping failed; it is tried again.", because: ServerError.translated(error))
        }
    }
}
