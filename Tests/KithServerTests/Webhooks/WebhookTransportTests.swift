import Foundation
import KithModel
import KithServer
import Testing

@Suite("A request to a webhook") struct WebhookTransportTests {
    /// Enough time for the receiver, which runs in the same process as all other tests.
    private static let patience = Duration.seconds(120)

    private let curl = CurlWebhookTransport(reachesPrivate: false, deadline: Self.patience)

    @Test("Has the event’s id, the time, and a signature of its body")
    func signed() async throws {
        let (world, double) = (try WebhookWorld(), WebhookDouble())
        try await double.serving { [curl] url in
            let (webhook, secret) = try await world.service.add("\(url)/taken", at: world.now)
            let id = try await world.event(for: webhook)
            world.clock.advance(.seconds(3))
            try await world.lane(curl).run()
            let request = try #require(double.received.first)
            #expect(request.id == id.description && request.type == "application/json")
            #expect(request.seconds == world.now.milliseconds / 1_000)
            #expect(
                request.signatures == [
                    secret.signature(id: request.id, seconds: request.seconds, body: request.body)
                ])
            #expect(
                request.body
                    == #"{"data":{"webhook":"\#(webhook.id)"},"timestamp":"2027-01-15T08:00:00.000Z","type":"webhook.test"}"#
            )
            let delivery = try #require(try await world.service.deliveries().first)
            #expect(delivery.state == .delivered && delivery.status == 204 && delivery.attempts == 1)
            #expect(delivery.ended == world.now && delivery.detail == nil && delivery.due == nil)
        }
        #expect(double.received.count == 1)
    }

    @Test("Has both signatures for a day after the secret was replaced")
    func rotated() async throws {
        let (world, double) = (try WebhookWorld(), WebhookDouble())
        try await double.serving { [curl] url in
            let (webhook, old) = try await world.service.add("\(url)/taken", at: world.now)
            let (_, new) = try await world.service.rotate(webhook.id, at: world.now)
            #expect(old != new)
            try await world.event(for: webhook)
            try await world.lane(curl).run()
            world.clock.advance(WebhookLimits.oldSecret)
            try await world.event(for: webhook)
            try await world.lane(curl).run()
            let requests = double.received
            try #require(requests.count == 2)
            func signatures(_ request: WebhookDouble.Received, _ secrets: WebhookSecret...) -> [String] {
                secrets.map { $0.signature(id: request.id, seconds: request.seconds, body: request.body) }
            }
            #expect(requests[0].signatures == signatures(requests[0], new, old))
            #expect(requests[1].signatures == signatures(requests[1], new))
        }
    }

    @Test(
        "Is repeated if the receiver fails, answers too late, or sends it elsewhere",
        arguments: [
            ("down", 500, "HTTP 500"), ("elsewhere", 302, "HTTP 302: redirects are not followed"),
            ("silent", nil, "No answer came in time."),
        ] as [(String, Int?, String)])
    func failing(path: String, status: Int?, detail: String) async throws {
        let (world, double) = (try WebhookWorld(), WebhookDouble())
        let transport = CurlWebhookTransport(
            reachesPrivate: false, deadline: path == "silent" ? .milliseconds(300) : Self.patience)
        try await double.serving { url in
            let webhook = try await world.add("\(url)/\(path)")
            try await world.event(for: webhook)
            try await world.lane(transport).run()
            let delivery = try #require(try await world.service.deliveries().first)
            #expect(delivery.state == .waiting && delivery.status == status && delivery.detail == detail)
            #expect(try await world.service.show(webhook.id).failures == 1)
        }
        // The silent receiver may not have read the request when its sender gives up.
        let received = double.received.map(\.path)
        #expect(received == [path] || path == "silent" && received.isEmpty)
    }

    @Test("Is taken by a receiver whatever it writes into its answer")
    func large() async throws {
        let (world, double) = (try WebhookWorld(), WebhookDouble())
        try await double.serving { [curl] url in
            let webhook = try await world.add("\(url)/large")
            try await world.event(for: webhook)
            try await world.event(for: webhook)
            try await world.lane(curl).run()
        }
        #expect(try await world.states() == [.delivered, .delivered])
    }

    @Test("Is the last one if the receiver answers that it is gone")
    func gone() async throws {
        let (world, double) = (try WebhookWorld(), WebhookDouble())
        try await double.serving { [curl] url in
            let webhook = try await world.add("\(url)/gone")
            try await world.event(for: webhook)
            try await world.event(for: webhook)
            try await world.lane(curl).run()
            #expect(try await world.service.show(webhook.id).state == .gone)
        }
        #expect(double.received.count == 1)
        #expect(try await world.states() == [.failed, .failed])
    }

    @Test("Waits if nobody can be reached")
    func nobody() async throws {
        let world = try WebhookWorld()
        try await world.event(for: try await world.add("http://127.0.0.1:1/kith"))
        try await world.lane(curl).run()
        #expect(try await world.states() == [.waiting])
    }

    @Test(
        "Goes to no private address without the operator’s permission",
        arguments: ["127.0.0.2", "10.0.0.1", "169.254.169.254", "2130706434"])
    func privateAddress(host: String) async throws {
        let world = try WebhookWorld()
        let webhook = try await world.add("https://\(host):9/kith")
        try await world.event(for: webhook)
        try await world.lane(curl).run()
        let detail = try await world.service.show(webhook.id).detail
        #expect(detail?.contains("webhooks-to-private-addresses") == true, "\(detail ?? "nothing")")
    }

    @Test("Goes to private addresses with the operator’s permission")
    func permitted() async throws {
        let world = try WebhookWorld()
        let webhook = try await world.add("https://127.0.0.2:1/kith")
        try await world.event(for: webhook)
        try await world.lane(CurlWebhookTransport(reachesPrivate: true)).run()
        let detail = try await world.service.show(webhook.id).detail
        // Nobody listens there, but the connection was attempted.
        #expect(detail?.isEmpty == false && detail?.contains("private") == false, "\(detail ?? "nothing")")
    }
}
