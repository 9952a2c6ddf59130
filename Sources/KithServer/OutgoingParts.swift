import KithModel
import ServiceLifecycle

/// The parts that send emails, SMS and webhooks.
struct OutgoingParts: Sendable {
    let sms: SMSGuard
    let smsMetrics: SMSMetrics
    var messages: MessageQueue
    let webhooks: WebhookJob
    private let bell = DeliveryBell()
    private let dependencies: ServerDependencies

    /// - Throws: ``ServerError`` if a setting or a template is wrong.
    init(_ dependencies: ServerDependencies, _ origin: Origin) throws {
        let (configuration, metrics) = (dependencies.configuration, dependencies.metrics)
        self.dependencies = dependencies
        smsMetrics = SMSMetrics(metrics)
        sms = try SMSGuard(configuration, metrics: smsMetrics)
        messages = MessageQueue(
            composer: try MessageComposer(configuration.messages), limits: configuration.messages.limits,
            address: { origin.text }, ring: { [bell] in bell.ring() })
        if configuration.messages.smsURL != nil { messages.sms = sms }
        webhooks = WebhookJob(
            WebhookLane(
                CurlWebhookTransport(reachesPrivate: configuration.webhooksToPrivateAddresses),
                database: dependencies.database, clock: dependencies.clock, metrics: WebhookMetrics(metrics),
                logger: dependencies.logger),
            logger: dependencies.logger)
    }

    /// What invitations need of these parts.
    func forInvitations(_ origin: Origin) -> InvitationDependencies {
        InvitationDependencies(
            messages: messages, link: origin.invitation, sendsSMS: sms.reaches, canonical: sms.countries.canonical)
    }

    /// What sharing needs of these parts.
    func forSharing(_ origin: Origin) -> SharingDependencies {
        SharingDependencies(
            messages: messages, link: origin.share, canonical: sms.countries.canonical,
            wakeWebhooks: { [webhooks] in webhooks.ring() })
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
        let metrics = MessageMetrics(dependencies.metrics)
        return OutgoingMessage.Channel.allCases.flatMap { channel in
            let gateway = dependencies.gateways[channel]
            return DeliveryLane.Reach.lanes(gateway.width).map { reach in
                DeliveryLane(
                    channel, gateway, taking: reach, queue: messages, database: dependencies.database,
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
