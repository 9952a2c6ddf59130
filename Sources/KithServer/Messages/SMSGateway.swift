import CCurl
import Foundation
import KithModel
import Synchronization

/// A gateway that hands messages to an SMS provider with one HTTP request each.
///
/// The header `Idempotency-Key` has the message's id, so that a repeated request is sent once.
package final class SMSGateway: MessageGateway {
    package let deadline: Duration
    private let provider: SMSProvider
    private let connection = Mutex<CurlConnection?>(nil)

    /// A gateway to a provider. A request that takes longer than `deadline` is repeated later.
    package init(_ provider: SMSProvider, deadline: Duration = .seconds(30)) {
        self.provider = provider
        self.deadline = deadline
    }

    package func deliver(_ message: StoredMessage) async -> GatewayOutcome {
        do {
            let connection = try connection.withLock { open in
                let current = try open ?? CurlConnection()
                open = current
                return current
            }
            let login = Data("\(provider.account):\(provider.secret)".utf8).base64EncodedString()
            let reply = await connection.send(
                provider.form(message).encoded, to: "\(provider.url)/Accounts/\(provider.account)/Messages.json",
                headers: [
                    "Content-Type: application/x-www-form-urlencoded", "Authorization: Basic \(login)",
                    "Idempotency-Key: \(message.id)", "Accept: application/json", "User-Agent: Kith", "Expect:",
                ], within: deadline)
            if reply.result.outcome != CCurlAnswered { await rest() }
            return Self.outcome(reply)
        } catch {
            return .refusedForNow("\(error)")
        }
    }

    package func rest() async { connection.withLock { $0 = nil } }

    /// The part of an answer's body that is read.
    private struct Content: Decodable {
        var status: String?
        var code: Int?
        var message: String?
        var errorCode: Int?
        var errorMessage: String?

        enum CodingKeys: String, CodingKey {
            case status, code, message
            case errorCode = "error_code"
            case errorMessage = "error_message"
        }

        var text: String {
            [(code ?? errorCode).map(String.init), message ?? errorMessage].compactMap(\.self).joined(separator: " ")
        }
    }

    /// What an answer means for the message.
    ///
    /// 400 and 422 are about this message. Other refusals, such as of the secret (401), are for the operator to correct,
    /// and the message waits for that.
    private static func outcome(_ reply: CurlConnection.Reply) -> GatewayOutcome {
        guard reply.result.outcome == CCurlAnswered else {
            let message = String(ofC: reply.result.message)
            return reply.result.outcome == CCurlUntrusted
                ? .refusedForNow("The certificate of the SMS provider is not trusted: \(message)") : .broken(message)
        }
        let content = try? JSONDecoder().decode(Content.self, from: reply.body)
        let text = content.map(\.text) ?? ""
        let detail = text.isEmpty ? "HTTP \(reply.result.status)" : text
        switch reply.result.status {
        case 200...299:
            return ["failed", "undelivered"].contains(content?.status) ? .refused(detail) : .accepted
        case 409: return .refusedForNow(detail)
        case 400, 422: return .refused(detail)
        case 500...599: return .broken(detail)
        default: return .refusedForNow(detail)
        }
    }
}
