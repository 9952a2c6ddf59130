import Foundation
import KithModel
import KithServer

/// A mail relay that fails, duplicates and delays emails, and the mailboxes behind it.
///
/// A mailbox shows two emails with one `Message-ID` once, as mail programs do.
// @unchecked: a world does one thing at a time.
final class SimulatedMail: MessageGateway, @unchecked Sendable {
    /// An email in a mailbox.
    struct Letter {
        let id: MessageID
        let recipient: String
        /// The code in the text.
        let code: String
        /// When it is in the mailbox.
        let arrives: Timestamp
    }

    let deadline = Duration.seconds(60)
    private(set) var letters: [Letter] = []
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
        if isReliable {
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
        letters.append(Letter(id: message.id, recipient: message.recipient, code: code, arrives: time() + delay))
    }

    /// The email with a code, once it is in the mailbox.
    func letter(_ id: CodeID) -> Letter? { letters.first { $0.id == id.retyped() && $0.arrives <= time() } }
}
