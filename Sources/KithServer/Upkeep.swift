import KithModel
import Logging

/// What a server does at intervals so that it stays in order. A failure is logged, and the next interval tries again.
final class Upkeep: Sendable {
    private let dependencies: ServerDependencies
    private let database: GuardedDatabase
    private let signals: SignalSender
    private let discovery: DiscoveryService
    private let smsMetrics: SMSMetrics
    private let trustedClock: TrustedClock
    private let lostKeys: LostKeyWatch

    init(
        _ dependencies: ServerDependencies, database: GuardedDatabase, signals: SignalSender,
        _ discovery: DiscoveryService, _ smsMetrics: SMSMetrics, _ trustedClock: TrustedClock
    ) {
        (self.dependencies, self.database, self.signals) = (dependencies, database, signals)
        (self.discovery, self.smsMetrics, self.trustedClock) = (discovery, smsMetrics, trustedClock)
        lostKeys = LostKeyWatch(
            of: dependencies.configuration.discoveryKeyPath, dependencies.clock, dependencies.logger)
    }

    /// Deletes what has reached the end of its lifetime, and maintains the database.
    func housekeep() async {
        // Each attempt is independent: if a purge fails, the server must still be able to detect a backup of this run
        // as older.
        let now = dependencies.clock.time()
        if await attempt("The check of the clock", { try await trustedClock.check(now) }) == true {
            await attempt("The deletion of what has expired") {
                try await Housekeeping(database: database.forJobs, signals: signals).purge(now)
            }
            await attempt("The deletion of old files of messages") { try dependencies.gateways.purge(at: now) }
        }
        await attempt("The maintenance of the database", dependencies.opened.refresh)
    }

    /// Renews the keys of discovery, and prepares what it sends.
    func prepareDiscovery() async {
        let now = dependencies.clock.time()
        await attempt("The upkeep of the keys of discovery") {
            let keys = dependencies.discoveryKeys
            let upkeep = DiscoveryUpkeep(database: database.forJobs, keys: keys)
            let givenUp = keys.areInFile ? lostKeys.report(try await upkeep.lostKeys(at: now)) : nil
            try await upkeep.run(at: now, givingUp: givenUp, deletes: try await trustedClock.check(now))
        }
        await attempt("The preparation of discovery") { try await discovery.prepare(at: dependencies.clock.time()) }
    }

    /// Reports prefixes of numbers that are paused.
    func reportPauses() async {
        let watch = PauseWatch(database: database, metrics: smsMetrics, logger: dependencies.logger)
        await attempt("The report of paused prefixes") { try await watch.run() }
    }

    /// Does some work. If it fails, the log says so, under its name.
    @discardableResult
    private func attempt<Value>(_ name: String, _ work: () async throws -> Value) async -> Value? {
        do {
            return try await work()
        } catch is CancellationError {
            // The server stops. The next server does this work.
        } catch {
            dependencies.logger.noteFailedWork("\(name) failed; it is tried again.", because: error)
        }
        return nil
    }
}
