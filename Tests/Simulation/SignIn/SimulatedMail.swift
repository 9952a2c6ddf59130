import Foundation
import KithModel
import KithServer

/// A gateway that fails, duplicates and delays emails and SMS, and the mailboxes and phones behind it.
///
/// A mailbox shows two emails with one `Message-ID` once, as mail programs do. A phone does so with two SMS of one
/// idempotency key.
// @unchecked: a world does one thing at a time.
final class SimulatedMail: MessageGateway, @unchecked Sendable {
    /// A message in a mailbox, or on a phone.
    struct Letter {
        let id: MessageID
        let recipient: String
        let kind: MessageKind
        let text: String
        /// The code in the text.
        let code: String
        /// When the server has written it.
        let created: Timestamp
        /// When it is in the mailbox.
        let arrives: Timestamp
    }

    let deadline = Duration.seconds(60)
    private(set) var letters: [Letter] = []
    /// The messages that the server has handed over, once for each attempt.
    private(set) var attempts: [StoredMessage] = []
    /// The messages that were ever refused for good.
    private(set) var refused: Set<MessageID> = []
    /// The messages that were ever accepted.
    private(set) var accepted: Set<MessageID> = []
    /// Whether the server is to stop before it has stored the outcome of the last attempt.
    var diesNow = false
    /// Whether the relay works.
    var isReliable = false
    private var random: SplitMix64
    private let time: @Sendable () -> Timestamp

    init(seed: UInt64, time: @escaping @Sendable () -> Timestamp) {
        random = SplitMix64(world: seed)
        self.time = time
    }

    func deliver(_ message: StoredMessage) async -> GatewayOutcome {
        let outcome = outcome(of: message)
        switch outcome {
        case .accepted: accepted.insert(message.id)
        case .refused: refused.insert(message.id)
        default: break
        }
        return outcome
    }

    private func outcome(of message: StoredMessage) -> GatewayOutcome {
        attempts.append(message)
        if isReliable {
            diesNow = false
            take(message)
            return .accepted
        }
        diesNow = random.oneIn(8)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .refusedForNow("The mailbox is busy.")
        case 1: return .broken("The connection broke at the beginning.")
        case 2...3:
            take(message)
            return .broken("The connection broke after the last byte.")
        case 4:
            take(message)
            take(message)
            return .accepted
        case 5...6:
            take(message, after: .seconds(Int64.random(in: 1...900, using: &random)))
            return .accepted
        case 7 where random.oneIn(3): return .refused("There is no such mailbox.")
        default:
            take(message)
            return .accepted
        }
    }

    func rest() async {}

    private func take(_ message: StoredMessage, after delay: Duration = .zero) {
        guard !letters.contains(where: { $0.id == message.id }) else { return }
        let code = message.text.firstMatch(of: /\b\d{6}\b/).map { String($0.0) } ?? ""
        letters.append(
            Letter(
                id: message.id, recipient: message.recipient, kind: message.kind, text: message.text, code: code,
                created: message.created, arrives: time() + delay))
    }

    /// The email with a code, once it is in the mailbox.
    func letter(_ id: CodeID) -> Letter? { letters.first { $0.id == id.retyped() && $0.arrives <= time() } }
}
