import Kith
import KithCommand
import Synchronization
import Testing

@Suite("Waiting for a page in a browser") struct OutcomePollingTests {
    /// What the server answers, one after the other, and the pauses in between.
    private final class Answers: Sendable {
        private let rest: Mutex<[Result<String?, KithError>]>
        private let made = Mutex<[Duration]>([])

        init(_ answers: [Result<String?, KithError>]) { rest = Mutex(answers) }

        var pauses: [Duration] { made.withLock(\.self) }

        func outcome() async throws -> String {
            let polling = OutcomePolling { pause in self.made.withLock { $0.append(pause) } }
            return try await polling.outcome { try self.rest.withLock { try $0.removeFirst().get() } }
        }
    }

    @Test("Trap: one lost answer ends the wait, and the page still takes the passkey – the command goes on asking")
    func lostAnswer() async throws {
        let answers = Answers([
            .success(nil), .failure(KithError(.offline, "Lost.")),
            .failure(KithError(.busy, "Later.", retryAfter: .seconds(7))),
            .failure(KithError(.malformed, "A page to sign in to the network.")), .success("a passkey"),
        ])
        #expect(try await answers.outcome() == "a passkey")
        #expect(answers.pauses == [.seconds(1), .seconds(1), .seconds(7), .seconds(1)])
    }

    @Test("Another error ends it") func refused() async {
        let answers = Answers([.success(nil), .failure(KithError(.notFound, "It has expired."))])
        let error = await #expect(throws: KithError.self) { try await answers.outcome() }
        #expect(error?.code == .notFound)
    }
}
