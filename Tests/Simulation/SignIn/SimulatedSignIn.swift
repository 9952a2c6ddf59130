import Foundation
import KithModel
import KithServer
import Logging
import Metrics

/// The part of a server that sends messages: codes, which it checks, invitations, and what people share, by email and
/// SMS.
final class SimulatedSignIn {
    let mail: SimulatedMail
    let limits: CodeLimits
    private let server: SimulatedServer
    private let queue: MessageQueue
    private let reports: FailureReports
    private let dependencies: InvitationDependencies
    private let sharing: SharingDependencies
    private let time: @Sendable () -> Timestamp

    /// Read once: checking them takes as long as many steps of a world.
    private static let templates = Result { try MessageTemplates() }

    init(_ server: SimulatedServer, seed: UInt64, time: @escaping @Sendable () -> Timestamp) throws {
        self.server = server
        self.time = time
        mail = SimulatedMail(seed: seed, time: time)
        let queue = MessageQueue(
            composer: MessageComposer(templates: try Self.templates.get(), service: "Kith", language: "en"),
            address: { "https://kith.example" }, random: server.random)
        let dependencies = InvitationDependencies(
            messages: queue, link: { "https://0.example/v1/invitations/\($0)" }, sendsSMS: { _ in true },
            random: server.random)
        let sharing = SharingDependencies(
            messages: queue, link: { $0.address(server: "https://0.example") }, random: server.random)
        reports = FailureReports(signals: .none) { message, transaction in
            try InvitationService.noteFailure(message, dependencies, at: time(), in: transaction)
                ?? SharingService.noteFailure(message, sharing, at: time(), in: transaction)
        }
        (self.queue, self.dependencies, self.sharing) = (queue, dependencies, sharing)
        // Small, so that the few steps of a world reach them.
        var limits = CodeLimits()
        (limits.tries, limits.triesOfIdentity, limits.ofIdentity, limits.ofAccount) = (3, 8, 4, 5)
        limits.pausesBetweenTries = [.zero, .zero, .seconds(10)]
        limits.pausesBetweenCodes = [.seconds(20), .seconds(40)]
        self.limits = limits
    }

    /// The service over the server's current database.
    var codes: CodeService {
        var settings = SignInSettings()
        settings.limits = limits
        return CodeService(
            database: server.database, messages: queue, discoveryKeys: server.discoveryKeys, signals: .none,
            settings: settings, random: server.random)
    }

    var identities: IdentityService {
        IdentityService(
            database: server.database, messages: queue, discoveryKeys: server.discoveryKeys, signals: .none,
            random: server.random)
    }

    var sessions: SessionService { SessionService(database: server.database, signals: .none, random: server.random) }

    var invitations: InvitationService {
        InvitationService(database: server.database, signals: .none, dependencies: dependencies)
    }

    var programmes: ProgrammeService { ProgrammeService(database: server.database) }

    var referrals: ReferralService { ReferralService(database: server.database, random: server.random) }

    /// Does what the background job of invitations does. The server can die at its first commit.
    ///
    /// - Returns: Whether the job is done.
    func work(dying point: Crash.Point = .none) async throws -> Bool {
        let (service, time) = (invitations, time)
        return try await survive(dying: point) { try await service.work(at: time()) }
    }

    /// Does what the background job of sharing does. The server can die at its first commit.
    ///
    /// - Returns: Whether the job is done.
    func workOnSharing(dying point: Crash.Point = .none) async throws -> Bool {
        let service = SharingService(database: server.database, signals: .none, dependencies: sharing)
        let time = time
        return try await survive(dying: point) { try await service.work(at: time()) }
    }

    private func survive(dying point: Crash.Point, _ work: () async throws -> Void) async throws -> Bool {
        server.crash.now = point
        defer { server.crash.now = .none }
        do {
            try await work()
            return true
        } catch let error where Crash.isCause(of: error) {
            return false
        }
    }

    /// Delivers the messages that are due. The server can die between an attempt and the storing of its outcome.
    func deliver() async {
        for channel in [OutgoingMessage.Channel.email, .sms] { await deliver(channel) }
    }

    private func deliver(_ channel: OutgoingMessage.Channel) async {
        let time = time
        let clock = ServerClock(time: time, uptime: { .zero }, sleep: { _ in throw Crash() })
        let lane = DeliveryLane(
            channel, DyingGateway(mail: mail, crash: server.crash), queue: queue, reports: reports,
            database: server.database, clock: clock, metrics: MessageMetrics(NOOPMetricsHandler.instance),
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }, random: server.random)
        do {
            try await lane.run()
        } catch {
            // The server has died. Its lease ends by itself.
        }
        server.crash.now = .none
    }
}

/// Kills the server after an attempt, if the mail says so.
private struct DyingGateway: MessageGateway {
    let mail: SimulatedMail
    let crash: Shared<Crash.Point>

    var deadline: Duration { mail.deadline }

    func deliver(_ message: StoredMessage) async -> GatewayOutcome {
        let outcome = await mail.deliver(message)
        if mail.diesNow { crash.now = .beforeCommit }
        return outcome
    }

    func rest() async {}
}
