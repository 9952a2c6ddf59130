import KithModel
import ServiceLifecycle

/// The parts that send emails, SMS and webhooks.
struct OutgoingParts: Sendable {
    let sms: SMSGuard
    let smsMetrics: SMSMetrics
    let messages: MessageQueue
    let webhooks: WebhookJob
    private let bell = DeliveryBell()
    private let dependencies: ServerDependencies
    private let origin: Origin
    private let signals: SignalSender
    private let database: any Database

    /// - Parameters:
    ///   - dependencies: What the server gets from outside.
    ///   - origin: The public address of the server.
    ///   - signals: Sends the signals of commits.
    ///   - database: The database for background jobs.
    /// - Throws: ``ServerError`` if a setting or a template is wrong.
    init(
        _ dependencies: ServerDependencies, _ origin: Origin, _ signals: SignalSender, database: any Database
    ) throws {
        let (configuration, metrics) = (dependencies.configuration, dependencies.metrics)
        (self.dependencies, self.origin, self.signals, self.database) = (dependencies, origin, signals, database)
        smsMetrics = SMSMetrics(metrics)
        sms = try SMSGuard(configuration, metrics: smsMetrics)
        messages = MessageQueue(
            composer: try MessageComposer(configuration.messages), limits: configuration.messages.limits,
            address: { origin.text }, sms: configuration.messages.smsURL == nil ? nil : sms,
            ring: { [bell] in bell.ring() })
        webhooks = WebhookJob(
            WebhookLane(
                CurlWebhookTransport(reachesPrivate: configuration.webhooksToPrivateAddresses),
                database: database, clock: dependencies.clock, metrics: WebhookMetrics(metrics),
                logger: dependencies.logger),
            logger: dependencies.logger)
    }

    /// What invitations need of these parts.
    var forInvitations: InvitationDependencies {
        InvitationDependencies(
            messages: messages, link: origin.invitation, sendsSMS: sms.reaches, canonical: sms.countries.canonical)
    }

    /// What sharing needs of these parts.
    var forSharing: SharingDependencies {
        SharingDependencies(
            messages: messages, link: origin.share, canonical: sms.countries.canonical,
            wakeWebhooks: { [webhooks] in webhooks.ring() })
    }

    /// Tells the sender of an invitation or a share that its message has failed.
    var reports: FailureReports {
        let (invitations, sharing, clock) = (forInvitations, forSharing, dependencies.clock)
        return FailureReports(signals: signals) { message, transaction in
            let now = clock.time()
            return try InvitationService.noteFailure(message, invitations, at: now, in: transaction)
                ?? SharingService.noteFailure(message, sharing, at: now, in: transaction)
        }
    }

    /// Delivers messages and events: when one was added, and at intervals, because a pause may have ended, or another
    /// process may have added some.
    var services: [any Service] {
        let clock = dependencies.clock
        return [
            Routine(every: DeliveryService.interval, clock) { [bell] in bell.ring() },
            DeliveryService(lanes, bell: bell, logger: dependencies.logger),
            Routine(every: WebhookJob.interval, clock) { [webhooks] in webhooks.ring() }, webhooks,
        ]
    }

    private var lanes: [DeliveryLane] {
        let (metrics, reports) = (MessageMetrics(dependencies.metrics), reports)
        return OutgoingMessage.Channel.allCases.flatMap { channel in
            let gateway = dependencies.gateways[channel]
            return DeliveryLane.Reach.lanes(gateway.width).map { reach in
                DeliveryLane(
                    channel, gateway, taking: reach, queue: messages, reports: reports, database: database,
                    clock: dependencies.clock, metrics: metrics, logger: dependencies.logger)
            }
        }
    }
}

extension SMSGuard {
    /// The guard of these settings.
    init(_ configuration: ServerConfiguration, metrics: SMSMetrics? = nil) throws(ServerError) {
        try self.init(
            configuration.phone, hasGateway: configuration.messages.smsURL != nil,
            lifetime: configuration.signIn.limits.lifetime, metrics: metrics)
    }
}
