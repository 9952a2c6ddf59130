import Foundation
import Hummingbird
import KithModel
import Logging
import ServiceLifecycle

/// The parts of a running server, connected with each other.
///
/// A request arrives at ``Connections``. ``API`` checks its caller, and its operation calls one of the ``Features``, which
/// writes to the database. After the commit, ``signals`` wake the live streams, the background jobs and the other nodes.
struct ServerParts: Sendable {
    let dependencies: ServerDependencies
    let origin: Origin
    let live: LiveParts
    /// The database as requests use it: it refuses writes while they cannot be stored.
    let database: GuardedDatabase
    let bells = JobBells()
    /// Sends the signals of commits: to this process, and to the other nodes.
    let signals: SignalSender
    /// The exchange with the other nodes; nil if this is the only one.
    let nodes: Nodes?
    let outgoing: OutgoingParts
    let features: Features
    let api: API
    private let link: NodeLink?
    private let trustedClock: TrustedClock

    /// - Parameters:
    ///   - dependencies: What the server gets from outside.
    ///   - link: The connection to the other nodes; nil if this is the only one.
    ///   - metrics: What requests and connections are measured by.
    ///   - whenSuperseded: Called if a newer program takes the database.
    /// - Throws: ``ServerError`` if a setting or a file is wrong.
    init(
        _ dependencies: ServerDependencies, _ link: NodeLink?, metrics: ServerMetrics,
        whenSuperseded: @escaping @Sendable () -> Void
    ) throws {
        let (configuration, clock, logger) = (dependencies.configuration, dependencies.clock, dependencies.logger)
        self.dependencies = dependencies
        self.link = link
        origin = Origin(configuration.publicURL ?? "")
        let live = LiveParts(dependencies, link, metrics: metrics)
        self.live = live
        database = GuardedDatabase(
            dependencies.database, isShared: link != nil, freeDisk: configuration.limits.freeDisk, clock: clock,
            logger: logger, measure: dependencies.opened.freeDisk)
        let local = SignalSender(live.hub, listStreams: live.listStreams, database: database, ring: bells.ring)
        nodes = link.map {
            Nodes(
                $0, hub: live.hub, listStreams: live.listStreams, local: local, clock: clock, logger: logger,
                whenSuperseded: whenSuperseded)
        }
        signals = nodes?.sender ?? local
        outgoing = try OutgoingParts(dependencies, origin, signals, database: database.forJobs)
        let trustedClock = TrustedClock(clock, database.forJobs, logger)
        self.trustedClock = trustedClock
        features = try Features(
            dependencies, outgoing, database: database, signals: signals, origin, trustedClock: trustedClock)
        api = API(
            database: database, signals: signals, clock: clock, live: live, features: features,
            pages: try WebPages(dependencies, outgoing, features, database: database, signals: signals),
            metrics: metrics, storage: configuration.limits.storageOfAccount, origin: origin)
    }

    // MARK: - Running

    /// Everything that runs until the server stops.
    ///
    /// - Parameters:
    ///   - lastStop: How long a stop may take before the process ends; nil if other code shares the process.
    ///   - whenListening: Called once, with the address, when the server listens.
    /// - Returns: The services. They stop in reverse order.
    func services(
        lastStop: Duration?, whenListening: @escaping @Sendable (URL) async -> Void
    ) -> [any Service] {
        let stop = GracefulStop(
            gate: live.gate, hub: live.hub, listStreams: live.listStreams, last: lastStop, logger: dependencies.logger)
        // They stop in reverse order. The exchange with the other nodes stops after everything that sends signals, and then
        // closes its connections. The database is closed last.
        return [closing] + sharedByNodes + routines + jobs + outgoing.services
            + [live.ending, application(whenListening), stop]
    }

    /// Writes what is not stored yet, and closes the database.
    private var closing: Closing {
        Closing { [dependencies, database, live, api] in
            await live.hub.performPendingWork(in: database.forJobs)
            try? await api.visits.write(to: database, at: dependencies.clock.time())
            try await dependencies.opened.close()
        }
    }

    /// The exchange with the other nodes: signals, presence and rates. ``Nodes`` closes the connections of all of it.
    private var sharedByNodes: [any Service] {
        guard let nodes, let link else { return [] }
        let exchange = RateExchange(
            live.gate.shared + live.tickLimits.shared, link.database, dependencies.clock)
        return [nodes, Routine(every: RateExchange.interval, dependencies.clock) { await exchange.run() }]
    }

    /// What is done at intervals.
    private var routines: [any Service] {
        let (configuration, clock) = (dependencies.configuration, dependencies.clock)
        let upkeep = Upkeep(
            dependencies, database: database, signals: signals, features.discovery, outgoing.smsMetrics, trustedClock)
        return [
            Routine(every: LiveHub.writingSeen, clock) { [database, live] in
                await live.hub.performPendingWork(in: database.forJobs)
            },
            Routine(every: SessionUses.writing, clock) { [database, api] in
                try? await api.uses.write(to: database.forJobs)
            },
            Routine(every: VisitCounter.writing, clock) { [database, api] in
                try? await api.visits.write(to: database, at: clock.time())
            },
            // Work that has failed, and work that another process has stored: `kith admin` or another node.
            Routine(every: .seconds(5), clock) { [bells] in bells.ringAll() },
            Routine(every: configuration.housekeeping, clock) { await upkeep.housekeep() },
            Routine(every: configuration.discoveryUpkeep, clock) { await upkeep.prepareDiscovery() },
            Routine(every: PauseWatch.interval, clock) { await upkeep.reportPauses() },
            Routine(every: configuration.heartbeat, clock) { [live] in
                live.connections.beat()
                live.listStreams.check()
            },
        ]
    }

    /// What is done at the start, when a commit has left work, and every five seconds.
    private var jobs: [any Service] {
        let (database, clock, logger) = (database.forJobs, dependencies.clock, dependencies.logger)
        return [
            BackgroundJob(
                bell: bells.profiles, logger: logger,
                failureMessage: """
                    A changed or deleted profile could not be sent to the people who have it in their contacts; it is \
                    tried again.
                    """
            ) { [signals] in try await ProfileFanout.takeAll(from: database, signals, clock: clock) },
            BackgroundJob(
                bell: bells.closedLists, logger: logger,
                failureMessage: "The content of a deleted list could not be deleted; it is tried again."
            ) { try await ClosedLists.clearAll(in: database) },
            BackgroundJob(
                bell: bells.invitations, logger: logger,
                failureMessage: "An invitation could not be processed; it is tried again."
            ) { [features] in try await features.invitations.work(at: clock.time()) },
            BackgroundJob(
                bell: bells.sharing, logger: logger,
                failureMessage: "A share, a sign-up or a reward could not be processed; it is tried again."
            ) { [features] in try await features.sharing.work(at: clock.time()) },
        ]
    }

    private func application(_ whenListening: @escaping @Sendable (URL) async -> Void) -> some Service {
        let configuration = dependencies.configuration
        return Application(
            responder: Responder(api: api, connections: live.connections, logger: dependencies.logger).router,
            // The built-in idle timeout does not see whether the client still reads an answer.
            server: .onEventLoops(guarding: live.connections),
            configuration: ApplicationConfiguration(address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { [origin] channel in
                let url = configuration.url(port: channel.localAddress?.port ?? configuration.port)
                if configuration.publicURL == nil { origin.set(url.absoluteString) }
                await whenListening(url)
            },
            logger: .silent)
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

extension LiveParts {
    /// `link` connects the server with the other nodes, if there are any.
    fileprivate init(_ dependencies: ServerDependencies, _ link: NodeLink?, metrics: ServerMetrics) {
        let (configuration, clock) = (dependencies.configuration, dependencies.clock)
        let limits = configuration.limits
        let bell = Bell()
        let connections = Connections(
            limits, idle: configuration.idle, shutdownGrace: configuration.shutdownGrace,
            trustedProxies: configuration.trustedProxies, clock: clock, metrics: metrics, logger: dependencies.logger,
            whenClosed: bell.ring)
        let hub = LiveHub(
            streamsOfSession: limits.streamsOfSession, streamsAtOnce: limits.streamsAtOnce, clock: clock,
            node: link?.node, whenUntold: { link?.ring() }, whenRemoved: bell.ring)
        let listStreams = ListStreams(whenRemoved: bell.ring)
        self.init(
            gate: Gate(limits, clock: clock, isShared: link != nil), work: HeavyWork(limits),
            tickLimits: TickLimits(isShared: link != nil), connections: connections, hub: hub, listStreams: listStreams,
            ending: StreamsEnding(bell: bell) { connections.count + hub.count + listStreams.count == 0 })
    }
}

extension Features {
    fileprivate init(
        _ dependencies: ServerDependencies, _ outgoing: OutgoingParts, database: GuardedDatabase,
        signals: SignalSender, _ origin: Origin, trustedClock: TrustedClock
    ) throws {
        let (configuration, messages, sms) = (dependencies.configuration, outgoing.messages, outgoing.sms)
        let keys = dependencies.discoveryKeys
        let ways = WaysIn(
            configuration.signIn, sendsSMS: sms.reaches,
            hasPasskeys: configuration.passkeys.isOn && dependencies.passkeyVerifier != nil,
            issuers: Set(configuration.issuers.map(\.url)))
        rounds = SyncService(database: database, signals: signals)
        sessions = SessionService(database: database, signals: signals)
        accounts = AccountService(database: database, signals: signals)
        codes = CodeService(
            database: database, messages: messages, discoveryKeys: keys, signals: signals,
            settings: configuration.signIn, sms: sms)
        identities = IdentityService(
            database: database, messages: messages, discoveryKeys: keys, signals: signals, ways: ways)
        passkeys = PasskeyService(
            database: database, verifier: dependencies.passkeyVerifier, settings: configuration.passkeys,
            messages: messages, service: configuration.messages.serviceName, address: { origin.text },
            signals: signals, ways: ways)
        issuers = IssuerService(
            database: database, issuers: configuration.issuers, transport: dependencies.issuerTransport,
            messages: messages, discoveryKeys: keys, signals: signals, ways: ways)
        recovery = RecoveryService(
            database: database, messages: messages, signals: signals, settings: configuration.signIn)
        pairings = PairingService(database: database, messages: messages, signals: signals)
        discovery = DiscoveryService(
            database: database, keys: keys, evaluationsADay: configuration.limits.evaluationsADay)
        invitations = InvitationService(
            database: database, signals: signals, dependencies: outgoing.forInvitations)
        sharing = SharingService(
            database: database, signals: signals, dependencies: outgoing.forSharing,
            isTrusted: { try await trustedClock.check($0) })
        unsubscribing = Unsubscribing(database: database)
        messageStatus = MessageStatus(
            queue: messages, reports: outgoing.reports, database: database,
            secret: try configuration.messages.provider(callback: nil)?.secret)
    }
}

extension WebPages {
    fileprivate init(
        _ dependencies: ServerDependencies, _ outgoing: OutgoingParts, _ features: Features,
        database: GuardedDatabase, signals: SignalSender
    ) throws {
        let configuration = dependencies.configuration
        try self.init(
            configuration.messages,
            links: LinkPages(
                database: database, signals: signals, invitations: features.invitations, codes: features.codes,
                signIn: configuration.signIn, appPage: configuration.apps.page),
            signIn: SignInPages(
                database: database, signals: signals, sessions: features.sessions, codes: features.codes,
                passkeys: features.passkeys, settings: configuration.signIn,
                sendsSMS: outgoing.sms.missingSetting == nil),
            account: AccountPages(
                database: database, signals: signals, sessions: features.sessions, identities: features.identities,
                issuers: features.issuers, passkeys: features.passkeys),
            operators: configuration.hasOperatorPages ? OperatorPages(database: database, signals: signals) : nil,
            apps: configuration.apps)
    }
}
