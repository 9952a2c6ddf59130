public import Foundation
public import KithModel
public import Logging
import Metrics
import NIOCore
import ServiceLifecycle
import Synchronization
import UnixSignals

/// A Kith server: the database, the API and the sockets.
///
/// A server runs once. To stop, it refuses new requests, ends the live streams, finishes the running requests, and then
/// closes the database.
public final class KithServer: Sendable {
    /// The settings of the server.
    public var configuration: ServerConfiguration { dependencies.configuration }
    /// The metrics of this server, which `/metrics` shows.
    public var metrics: PrometheusRegistry { dependencies.metrics }
    private let dependencies: ServerDependencies
    private let group = Mutex<ServiceGroup?>(nil)
    /// Whether a newer program has taken the database.
    private let isSuperseded = Mutex(false)

    /// A server over a database that is already open.
    ///
    /// - Parameters:
    ///   - configuration: The settings. The path of the database is not used. Without a path for the file of the
    ///     discovery keys, the keys are kept in memory. Messages stay in memory, too.
    ///   - database: The database of the server.
    ///   - clock: The source of the current time.
    ///   - metrics: The registry for the metrics.
    ///   - logger: The logger of the server.
    ///   - passkeyVerifier: Verifies passkeys, such as the `FIDOVerifier` of the module `FIDO`; nil for none.
    ///   - refresh: Called by each housekeeping, for maintenance of the database.
    ///   - whenStopped: Closes the database. Called after the last use of the database.
    public convenience init(
        _ configuration: ServerConfiguration, database: any Database, clock: ServerClock = .system,
        metrics: PrometheusRegistry = PrometheusRegistry(), logger: Logger = .silent,
        passkeyVerifier: (any PasskeyVerifier)? = nil,
        refresh: @escaping @Sendable () async throws -> Void = {},
        whenStopped: @escaping @Sendable () async throws -> Void = {}
    ) {
        let keys = configuration.discoveryKeyFile.map { DiscoveryKeys(file: URL(filePath: $0)) } ?? DiscoveryKeys()
        self.init(
            ServerDependencies(
                configuration, ServerDatabase(database, refresh: refresh, close: whenStopped), discoveryKeys: keys,
                clock: clock, metrics: metrics, logger: logger, passkeyVerifier: passkeyVerifier))
    }

    /// A server with everything that it gets from outside.
    package init(_ dependencies: ServerDependencies) { self.dependencies = dependencies }

    /// A server over the database that the configuration names.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - clock: The source of the current time.
    ///   - metrics: The registry for the metrics.
    ///   - logger: The logger of the server.
    ///   - passkeyVerifier: Verifies passkeys, such as the `FIDOVerifier` of the module `FIDO`; nil for none.
    /// - Returns: The server.
    /// - Throws: ``ServerError`` if the database or a file cannot be opened.
    public static func open(
        _ configuration: ServerConfiguration, clock: ServerClock = .system,
        metrics: PrometheusRegistry = PrometheusRegistry(), logger: Logger = .silent,
        passkeyVerifier: (any PasskeyVerifier)? = nil
    ) async throws -> KithServer {
        let address = try DatabaseAddress(configuration.database)
        try configuration.checkPasskeys()
        if case .postgres = address { try configuration.postgres.checkListening() }
        var configuration = configuration
        if let file = configuration.issuersFile { configuration.issuers += try IssuerFile.read(file) }
        let commits = ServerMetrics.commits(metrics)
        let opened = try await ServerDatabase.open(
            address, configuration.postgres, at: clock.time(), newEpoch: configuration.newEpoch,
            whenUpgrading: { stored, known in
                logger.notice(
                    """
                    The database is being upgraded. If the server is stopped meanwhile, the next start begins the upgrade again.
                    """, metadata: ["from": "\(stored)", "to": "\(known)"])
            }, whenCommitted: { commits.increment() })
        if let reason = opened.reasonOfNewEpoch {
            logger.notice(
                "A new epoch begins: devices read everything again, and send the edits of their last seven days again.",
                metadata: ["reason": "\(reason)"])
        }
        do {
            let keys = DiscoveryKeys(file: URL(filePath: configuration.discoveryKeyPath))
            // Report a fault of the key file at the start, not at the first request.
            _ = try keys.all()
            _ = try SMSGuard(configuration)
            let gateways = try MessageGateways(
                configuration.messages, folder: URL(filePath: configuration.outboxPath),
                address: configuration.publicURL)
            return KithServer(
                ServerDependencies(
                    configuration, opened, discoveryKeys: keys, gateways: gateways, clock: clock, metrics: metrics,
                    logger: logger, passkeyVerifier: passkeyVerifier))
        } catch {
            try? await opened.close()
            throw error
        }
    }

    /// Serves until ``stop()`` is called, a signal asks for it, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - obeysSignals: Whether SIGTERM and SIGINT stop the server gracefully.
    ///   - whenListening: Called once, with the address, when the server listens. It answers requests after this returns.
    /// - Throws: ``ServerError`` if the server cannot listen at the address, or has stopped because a newer program
    ///   upgrades the database.
    public func run(
        obeysSignals: Bool = false, whenListening: @escaping @Sendable (URL) async -> Void = { _ in }
    ) async throws {
        let shared = dependencies.opened.shared
        shared?.log(to: dependencies.logger)
        let link = shared.map { NodeLink($0) }
        let (services, nodes): (ServiceGroup, Nodes?)
        do {
            (services, nodes) = try await prepare(link, obeysSignals: obeysSignals, whenListening: whenListening)
            group.withLock { $0 = services }
            guard await nodes?.begin() ?? true else { throw ServerError.superseded }
        } catch {
            // No service runs that would close the database.
            await link?.database.close()
            try? await dependencies.opened.close()
            throw error
        }
        do {
            try await services.run()
        } catch let error
            where error is IOError || error is SocketAddressError || error is SocketAddressError.UnknownHost
        {
            throw configuration.failure(error)
        }
        if isSuperseded.withLock({ $0 }) { throw ServerError.superseded }
    }

    /// Connects the parts of the server.
    ///
    /// - Throws: ``ServerError`` if a setting or a file is wrong.
    private func prepare(
        _ link: NodeLink?, obeysSignals: Bool, whenListening: @escaping @Sendable (URL) async -> Void
    ) async throws -> (ServiceGroup, Nodes?) {
        let serverMetrics = ServerMetrics(metrics)
        if let kind = try? await dependencies.database.peek({ $0.dialect.name }) { serverMetrics.database(kind) }
        await logUnreadableProgrammes()
        let parts = try ServerParts(
            dependencies, link, metrics: serverMetrics,
            whenSuperseded: { [self] in
                isSuperseded.withLock { $0 = true }
                Task { await stop() }
            })
        let grace = configuration.shutdownGrace
        var group = ServiceGroupConfiguration(
            services: parts.services(
                lastStop: obeysSignals ? grace + .seconds(10) : nil, whenListening: whenListening),
            gracefulShutdownSignals: obeysSignals ? [.sigterm, .sigint] : [], logger: .silent)
        group.maximumGracefulShutdownDuration = grace
        return (ServiceGroup(configuration: group), parts.nodes)
    }

    private func logUnreadableProgrammes() async {
        for row in (try? await dependencies.database.read({ try ProgrammeRow.all(in: $0) })) ?? [] {
            guard let fault = row.fault else { continue }
            dependencies.logger.warning(
                "This version cannot read a programme, which counts as paused.",
                metadata: ["programme": "\(row.programme.name)", "fault": "\(fault)"])
        }
    }

    /// Stops the server gracefully; ``run(obeysSignals:whenListening:)`` then returns.
    public func stop() async {
        await group.withLock { $0 }?.triggerGracefulShutdown()
    }

    /// Raises the limit of open files and sockets to the maximum that the system allows. The limit of a shell is often
    /// far lower.
    public static func allowManyConnections() {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(files, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(files, &limit)
    }

    /// Serves while `body` runs, then stops.
    ///
    /// - Parameter body: Receives the address. If the configuration has port 0, the address has the port that was
    ///   chosen.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or ``ServerError`` if the server cannot listen at the address.
    public func serving<Value: Sendable>(_ body: (URL) async throws -> Value) async throws -> Value {
        let (addresses, listening) = AsyncStream<URL>.makeStream()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { listening.finish() }
                try await self.run { listening.yield($0) }
            }
            var address: URL?
            for await url in addresses {
                address = url
                break
            }
            guard let address else {
                try await group.waitForAll()
                throw ServerError.closing
            }
            let result: Result<Value, any Error>
            do { result = .success(try await body(address)) } catch { result = .failure(error) }
            await stop()
            try await group.waitForAll()
            return try result.get()
        }
    }
}

extension Logger {
    /// Logs nothing.
    public static let silent = Logger(label: "kith") { _ in SwiftLogNoOpLogHandler() }
}
