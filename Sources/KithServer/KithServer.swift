public import Foundation
import Hummingbird
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
    public let configuration: ServerConfiguration
    /// The metrics of this server, which `/metrics` shows.
    public let metrics: PrometheusRegistry
    private let database: any Database
    /// The database, if several nodes can share it.
    private let shared: PostgresDatabase?
    private let refresh: @Sendable () async throws -> Void
    private let whenStopped: @Sendable () async throws -> Void
    private let discoveryKeys: DiscoveryKeys
    private let gateways: MessageGateways
    private let passkeyVerifier: (any PasskeyVerifier)?
    private let issuerTransport: any IssuerTransport
    private let clock: ServerClock
    private let logger: Logger
    private let freeDisk: @Sendable () throws -> Double?
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
            configuration, database: database, discoveryKeys: keys, clock: clock, metrics: metrics, logger: logger,
            passkeyVerifier: passkeyVerifier, refresh: refresh, whenStopped: whenStopped)
    }

    /// A server with the given discovery keys and gateways for messages. `freeDisk` measures the free part of the disk,
    /// from 0 to 1; nil if unknown. It throws if the database is not there any more.
    package init(
        _ configuration: ServerConfiguration, database: any Database, discoveryKeys: DiscoveryKeys,
        gateways: MessageGateways = .memory, issuerTransport: (any IssuerTransport)? = nil,
        clock: ServerClock = .system,
        metrics: PrometheusRegistry = PrometheusRegistry(), logger: Logger = .silent,
        passkeyVerifier: (any PasskeyVerifier)? = nil, freeDisk: @escaping @Sendable () throws -> Double? = { nil },
        refresh: @escaping @Sendable () async throws -> Void = {},
        whenStopped: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.configuration = configuration
        self.database = MeasuredDatabase(database, metrics)
        shared = database as? PostgresDatabase
        self.discoveryKeys = discoveryKeys
        self.gateways = gateways
        self.passkeyVerifier = passkeyVerifier
        self.issuerTransport = issuerTransport ?? CurlIssuerTransport()
        self.clock = clock
        self.metrics = metrics
        self.logger = logger.bounded
        self.freeDisk = freeDisk
        self.refresh = refresh
        self.whenStopped = whenStopped
    }

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
            whenCommitted: { commits.increment() })
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
                configuration, database: opened.database, discoveryKeys: keys, gateways: gateways, clock: clock,
                metrics: metrics, logger: logger, passkeyVerifier: passkeyVerifier, freeDisk: opened.freeDisk,
                refresh: opened.refresh, whenStopped: { await opened.close() })
        } catch {
            await opened.close()
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
        let link = shared.map { NodeLink($0) }
        let (services, nodes): (ServiceGroup, Nodes?)
        do {
            (services, nodes) = try await prepare(link, obeysSignals: obeysSignals, whenListening: whenListening)
            group.withLock { $0 = services }
            guard await nodes?.begin() ?? true else { throw ServerError.superseded }
        } catch {
            // No service runs that would close the database.
            await link?.database.close()
            try? await whenStopped()
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

    private func logUnreadableProgrammes() async {
        for row in (try? await database.read({ try ProgrammeRow.all(in: $0) })) ?? [] {
            guard let fault = row.fault else { continue }
            logger.warning(
                "This version cannot read a programme, which counts as paused.",
                metadata: ["programme": "\(row.programme.name)", "fault": "\(fault)"])
        }
    }

    /// Connects the parts of the server.
    ///
    /// - Throws: ``ServerError`` if a setting or a file is wrong.
    private func prepare(
        _ link: NodeLink?, obeysSignals: Bool, whenListening: @escaping @Sendable (URL) async -> Void
    ) async throws -> (ServiceGroup, Nodes?) {
        let gate = Gate(configuration.limits, clock: clock, isShared: link != nil)
        let tickLimits = TickLimits(isShared: link != nil)
        let (endingBell, noteEnding) = BackgroundJob.makeBell()
        let hub = LiveHub(
            streamsOfSession: configuration.limits.streamsOfSession,
            streamsAtOnce: configuration.limits.streamsAtOnce, clock: clock, node: link?.node,
            whenUntold: { link?.ring() }, whenRemoved: noteEnding)
        let listStreams = ListStreams(whenRemoved: noteEnding)
        let serverMetrics = ServerMetrics(metrics)
        if let kind = try? await database.peek({ $0.dialect.name }) { serverMetrics.database(kind) }
        let connections = Connections(
            configuration.limits, idle: configuration.idle, shutdownGrace: configuration.shutdownGrace,
            trustedProxies: configuration.trustedProxies, clock: clock, metrics: serverMetrics, logger: logger,
            whenClosed: noteEnding)
        let writable = WritableDatabase(
            database, isShared: link != nil, freeDisk: configuration.limits.freeDisk, clock: clock, logger: logger,
            measure: freeDisk)
        await logUnreadableProgrammes()
        let origin = Origin(configuration.publicURL ?? "")
        let deliveryBell = DeliveryBell()
        let smsMetrics = SMSMetrics(metrics)
        let sms = try SMSGuard(configuration, metrics: smsMetrics)
        let (fanoutBell, wakeFanout) = BackgroundJob.makeBell()
        let (closedBell, wakeClosed) = BackgroundJob.makeBell()
        let (jobBell, wakeInvitations) = BackgroundJob.makeBell()
        let (sharingBell, wakeSharing) = BackgroundJob.makeBell()
        let wakeJobs: @Sendable () -> Void = {
            wakeInvitations()
            wakeSharing()
        }
        let local = SignalSender(
            hub, pages: listStreams, database: writable,
            bells: [.profileFanout: wakeFanout, .closedLists: wakeClosed], wakeOthers: wakeJobs)
        let nodes = link.map { link in
            Nodes(
                link, hub: hub, pages: listStreams, local: local, clock: clock, logger: logger,
                whenSuperseded: { [self] in
                    isSuperseded.withLock { $0 = true }
                    Task { await stop() }
                })
        }
        let rates = link.map { link in
            let exchange = RateExchange(gate.shared + tickLimits.shared, link.database, clock)
            return Routine(every: RateExchange.interval, clock) { await exchange.run() }
        }
        let signals = nodes?.sender ?? local
        var messages = MessageQueue(
            composer: try MessageComposer(configuration.messages), limits: configuration.messages.limits,
            address: { origin.text }, ring: { deliveryBell.ring() })
        if configuration.messages.smsURL != nil { messages.sms = sms }
        let dependencies = InvitationDependencies(
            messages: messages, link: origin.invitation, sendsSMS: sms.reaches, canonical: sms.countries.canonical)
        let webhooks = WebhookJob(
            WebhookLane(
                CurlWebhookTransport(reachesPrivate: configuration.webhooksToPrivateAddresses), database: database,
                clock: clock, metrics: WebhookMetrics(metrics), logger: logger), logger: logger)
        let sharing = SharingDependencies(
            messages: messages, link: origin.share, canonical: sms.countries.canonical,
            wakeWebhooks: { webhooks.ring() })
        messages.whenFailed = { [clock] message, transaction in
            let now = clock.time()
            let told =
                try InvitationService.noteFailure(message, dependencies, at: now, in: transaction)
                ?? SharingService.noteFailure(message, sharing, at: now, in: transaction)
            guard let told else { return nil }
            return { await signals.send(told) }
        }
        let invitations = InvitationService(database: writable, signals: signals, dependencies: dependencies)
        let shares = SharingService(database: writable, signals: signals, dependencies: sharing)
        let messageMetrics = MessageMetrics(metrics)
        let lanes = OutgoingMessage.Channel.allCases.flatMap { [database, messages] channel in
            DeliveryLane.Reach.lanes(gateways[channel].width).map { reach in
                DeliveryLane(
                    channel, gateways[channel], taking: reach, queue: messages, database: database, clock: clock,
                    metrics: messageMetrics, logger: logger)
            }
        }
        let discovery = DiscoveryService(
            database: writable, keys: discoveryKeys, evaluationsADay: configuration.limits.evaluationsADay)
        let codes = CodeService(
            database: writable, messages: messages, discoveryKeys: discoveryKeys, signals: signals,
            settings: configuration.signIn, sms: sms)
        let ways = WaysIn(
            configuration.signIn, sendsSMS: sms.reaches,
            hasPasskeys: configuration.passkeys.isOn && passkeyVerifier != nil,
            issuers: Set(configuration.issuers.map(\.url)))
        let (uses, visits) = (SessionUses(), VisitCounter())
        let identities = IdentityService(
            database: writable, messages: messages, discoveryKeys: discoveryKeys, signals: signals, ways: ways)
        let passkeys = PasskeyService(
            database: writable, verifier: passkeyVerifier, settings: configuration.passkeys,
            messages: messages, service: configuration.messages.serviceName, address: { origin.text },
            signals: signals, ways: ways)
        let issuers = IssuerService(
            database: writable, issuers: configuration.issuers, transport: issuerTransport,
            messages: messages, discoveryKeys: discoveryKeys, signals: signals, ways: ways)
        let api = API(
            database: writable, signals: signals, clock: clock, gate: gate, work: HeavyWork(configuration.limits),
            connections: connections, hub: hub, ready: ReadyCheck(writable, clock: clock), discovery: discovery,
            messages: messages,
            messagePages: MessagePages(
                unsubscribing: Unsubscribing(database: writable),
                status: MessageStatus(
                    queue: messages, database: writable,
                    secret: try configuration.messages.provider(callback: nil)?.secret)),
            pages: try WebPages(
                configuration.messages,
                links: LinkPages(
                    database: writable, signals: signals, invitations: invitations, codes: codes,
                    signIn: configuration.signIn, appPage: configuration.apps.page),
                apps: configuration.apps),
            signInPages: SignInPages(
                database: writable, signals: signals, codes: codes, passkeys: passkeys, settings: configuration.signIn,
                sendsSMS: sms.missingSetting == nil),
            accountPages: AccountPages(
                database: writable, signals: signals, identities: identities, issuers: issuers, passkeys: passkeys),
            operatorPages: configuration.hasOperatorPages ? OperatorPages(database: writable, signals: signals) : nil,
            codes: codes, identities: identities,
            recovery: RecoveryService(
                database: writable, messages: messages, signals: signals, settings: configuration.signIn),
            pairings: PairingService(database: writable, messages: messages, signals: signals), uses: uses,
            passkeys: passkeys, invitations: invitations, visits: visits, listStreams: listStreams,
            tickLimits: tickLimits, issuers: issuers,
            metrics: serverMetrics, storage: configuration.limits.storageOfAccount, origin: origin)
        let application = Application(
            responder: Responder(api: api, connections: connections, logger: logger).router,
            // The built-in idle timeout does not see whether the client still reads an answer.
            server: .onEventLoops(guarding: connections),
            configuration: ApplicationConfiguration(address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { [configuration] channel in
                let url = configuration.url(port: channel.localAddress?.port ?? configuration.port)
                if configuration.publicURL == nil { origin.set(url.absoluteString) }
                await whenListening(url)
            },
            logger: .silent)
        // The services stop in reverse order.
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    Closing { [clock, database, whenStopped] in
                        await hub.performPendingWork(in: database)
                        try? await visits.write(to: writable, at: clock.time())
                        try await whenStopped()
                    },
                    Routine(every: LiveHub.writingSeen, clock) { [database] in
                        await hub.performPendingWork(in: database)
                    },
                    Routine(every: SessionUses.writing, clock) { [database] in try? await uses.write(to: database) },
                    Routine(every: VisitCounter.writing, clock) { [clock] in
                        try? await visits.write(to: writable, at: clock.time())
                    },
                    Routine(every: configuration.housekeeping, clock) { [self] in await housekeep(signals) },
                    // Signals that another process has stored: `kith admin` or another node.
                    Routine(every: .seconds(5), clock) {
                        wakeFanout()
                        wakeJobs()
                    },
                    BackgroundJob(
                        bell: fanoutBell, logger: logger,
                        failureMessage: """
                            A changed or deleted profile could not be sent to the people who have it in their \
                            contacts; it is tried again.
                            """
                    ) { [clock, database] in
                        try await ProfileFanout.takeAll(from: database, signals, clock: clock)
                    },
                    BackgroundJob(
                        bell: closedBell, logger: logger,
                        failureMessage: "The content of a deleted list could not be deleted; it is tried again."
                    ) { [database] in try await ClosedLists.clearAll(in: database) },
                    BackgroundJob(
                        bell: jobBell, logger: logger,
                        failureMessage: "An invitation could not be processed; it is tried again."
                    ) { [clock] in try await invitations.work(at: clock.time()) },
                    BackgroundJob(
                        bell: sharingBell, logger: logger,
                        failureMessage: "A share, a sign-up or a reward could not be processed; it is tried again."
                    ) { [clock] in try await shares.work(at: clock.time()) },
                    Routine(every: DeliveryService.interval, clock) { deliveryBell.ring() },
                    DeliveryService(lanes, bell: deliveryBell, logger: logger),
                    Routine(every: WebhookJob.interval, clock) { webhooks.ring() }, webhooks,
                    Routine(every: PauseWatch.interval, clock) { [self] in
                        await attempt {
                            try await PauseWatch(database: writable, metrics: smsMetrics, logger: logger).run()
                        }
                    },
                    Routine(every: configuration.discoveryUpkeep, clock) { [self] in await keepUp(discovery) },
                    Routine(every: configuration.heartbeat, clock) {
                        connections.beat()
                        listStreams.check()
                    },
                    StreamsEnding(bell: endingBell) { connections.count + hub.count + listStreams.count == 0 },
                    application,
                    GracefulStop(
                        gate: gate, hub: hub, pages: listStreams,
                        last: obeysSignals ? configuration.shutdownGrace + .seconds(10) : nil, logger: logger),
                ],
                gracefulShutdownSignals: obeysSignals ? [.sigterm, .sigint] : [], logger: .silent
            ).lasting(configuration.shutdownGrace).including(nodes, rates))
        return (services, nodes)
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

    private func housekeep(_ signals: SignalSender) async {
        // Each attempt is independent: if a purge fails, the server must still be able to detect a backup of this run
        // as older.
        await attempt { try await Housekeeping(database: database, signals: signals).purge(clock.time()) }
        await attempt { try gateways.purge(at: clock.time()) }
        await attempt(refresh)
    }

    private func keepUp(_ discovery: DiscoveryService) async {
        await attempt { try await DiscoveryUpkeep(database: database, keys: discoveryKeys).run(at: clock.time()) }
        await attempt { try await discovery.prepare(at: clock.time()) }
    }

    private func attempt(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is CancellationError {
            // The server stops. The next server does this work.
        } catch {
            logger.error(
                "The housekeeping failed; it is tried again.", metadata: ["cause": "\(ServerError.translated(error))"])
        }
    }
}

extension SMSGuard {
    /// The guard of these settings.
    fileprivate init(_ configuration: ServerConfiguration, metrics: SMSMetrics? = nil) throws(ServerError) {
        try self.init(
            configuration.phone, hasGateway: configuration.messages.smsURL != nil,
            lifetime: configuration.signIn.limits.lifetime, metrics: metrics)
    }
}

extension Logger {
    /// Logs nothing.
    public static let silent = Logger(label: "kith") { _ in SwiftLogNoOpLogHandler() }
}

extension ServiceGroupConfiguration {
    fileprivate func lasting(_ duration: Duration) -> Self {
        var configuration = self
        configuration.maximumGracefulShutdownDuration = duration
        return configuration
    }

    /// Adds the services that connect the nodes. They stop after all that send signals, and before the database is
    /// closed. The first closes the connections of both.
    fileprivate func including(_ nodes: Nodes?, _ rates: Routine?) -> Self {
        guard let nodes, let rates else { return self }
        var configuration = self
        let services: [any Service] = [nodes, rates]
        configuration.services.insert(contentsOf: services.map { ServiceConfiguration(service: $0) }, at: 1)
        return configuration
    }
}

/// Closes the database. It is the last service to stop.
private struct Closing: Service {
    let work: @Sendable () async throws -> Void

    func run() async throws {
        try? await gracefulShutdown()
        try await work()
    }
}
