import CCurl
import Foundation
import KithModel
import Synchronization

/// Sends requests to webhooks through libcurl, which verifies certificates and follows no redirects.
///
/// Without the operator's permission, a connection leads only to the public internet, or to this machine if the address
/// names it. That is decided for each connection, after the name was looked up.
package final class CurlWebhookTransport: WebhookTransport {
    private let reachesPrivate: Bool
    private let deadline: Duration
    /// The open connections. A connection is taken out for an exchange.
    private let connections = Mutex<[Webhook.ID: CurlConnection]>([:])

    /// A transport that can reach private addresses if `reachesPrivate`.
    package init(reachesPrivate: Bool, deadline: Duration = WebhookLimits.deadline) {
        (self.reachesPrivate, self.deadline) = (reachesPrivate, deadline)
    }

    package func send(_ request: WebhookRequest) async -> WebhookOutcome {
        do {
            let open = connections.withLock { $0.removeValue(forKey: request.webhook) }
            let connection = try open ?? CurlConnection()
            let reply = await connection.send(
                Data(request.body.utf8), to: request.address.text,
                headers: [
                    "Content-Type: application/json", "User-Agent: Kith", "Expect:", "webhook-id: \(request.id)",
                    "webhook-timestamp: \(request.seconds)", "webhook-signature: \(request.signatures)",
                ], reaching: request.address.reach(reachesPrivate), within: deadline)
            if reply.result.outcome == CCurlAnswered {
                connections.withLock { $0[request.webhook] = connection }
            }
            return Self.outcome(reply.result)
        } catch {
            return .failed(status: nil, "\(error)")
        }
    }

    package func rest(_ webhook: Webhook.ID) async {
        _ = connections.withLock { $0.removeValue(forKey: webhook) }
    }

    /// What an answer means. The body is not read, so it does not matter if it was too long.
    private static func outcome(_ result: CCurlResult) -> WebhookOutcome {
        let message = String(ofC: result.message)
        switch result.outcome {
        case CCurlAnswered, CCurlStopped: return WebhookOutcome(status: result.status)
        case CCurlTimedOut: return .failed(status: nil, "No answer came in time.")
        case CCurlUntrusted: return .failed(status: nil, "The certificate is not trusted: \(message)")
        case CCurlForbidden:
            return .failed(
                status: nil, "The address is private. “webhooks-to-private-addresses” permits it.")
        default: return .failed(status: nil, message.isEmpty ? "The connection failed." : message)
        }
    }
}
