import Foundation
import KithModel

/// Something that is reported to webhooks. It has ids, and no names, emails, numbers or codes.
package struct WebhookEvent: Sendable {
    /// What has happened.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Somebody has shared.
        case shared
        /// Somebody has signed up, and it is known who has brought them.
        case joined
        /// The rewards for an event of a friend wait.
        case held
        /// The rewards for an event of a friend were granted.
        case granted
        /// The rewards for an event of a friend were refused.
        case refused
        /// The operator tries the webhook out.
        case test

        /// The kinds that a webhook can choose.
        package static let choices: [Kind] = allCases.filter { $0 != .test }

        /// The name in the body: `referral.granted`.
        package var type: String { self == .test ? "webhook.test" : "referral.\(rawValue)" }
    }

    /// The part of the body that depends on the kind. What is nil is left out.
    struct Content: Encodable {
        var programme: String?
        var channel: String?
        var share: String?
        var referral: String?
        var event: String?
        var basis: String?
        var advocate: String?
        var friend: String?
        var reasons: [String]?
        var until: String?
        var isByOperator: Bool?
        var rewards: [Reward]?
        var webhook: String?
    }

    /// A reward that was granted.
    struct Reward: Encodable {
        let id: String
        let side: String
        let account: String
        let name: String
    }

    private struct Body: Encodable {
        let type: String
        let timestamp: String
        let data: Content
    }

    let kind: Kind
    /// The JSON text that is sent, always the same bytes for the same event.
    let body: String

    init(_ kind: Kind, at now: Timestamp, _ content: Content) throws {
        self.kind = kind
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(Body(type: kind.type, timestamp: now.internetTime, data: content))
        body = String(decoding: data, as: UTF8.self)
    }
}
