import KithServer
import Testing

@Suite("The secret of a webhook") struct WebhookSecretTests {
    @Test("Signs as the example of Standard Webhooks does")
    func example() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = secret.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: #"{"test": 2432232314}"#)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("Is read as it is written, and has 32 random bytes")
    func text() async throws {
        let world = try WebhookWorld()
        let (webhook, secret) = try await world.service.add("https://tea.example.com/kith", at: world.now)
        #expect(WebhookSecret(secret.text) == secret && secret.text.utf8.count == 6 + 44)
        let (_, other) = try await world.service.rotate(webhook.id, at: world.now)
        #expect(other != secret)
    }

    @Test(
        "Is nothing else",
        arguments: ["", "whsec_", "whsec_short", "whsec_%%%%", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
    func others(text: String) { #expect(WebhookSecret(text) == nil) }
}
