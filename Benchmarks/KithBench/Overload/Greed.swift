import Foundation
import KithModel
import OPRF
import Synchronization

/// Accounts that constantly send large requests: they evaluate 1,000 elements at a time, read a list of 4 MiB, or send
/// 500 edits at a time. A refused request is repeated after a tenth of a second.
final class Greed: Sendable {
    private struct State {
        var isOver = false
        var served: [String: Int] = [:]
        var refused = 0
        var broken = 0
    }

    /// The kind of large request.
    enum Kind: String, CaseIterable {
        case evaluations, reads, pushes
    }

    private let kinds: [Kind]
    // Each account is used by only one thread.
    private nonisolated(unsafe) let accounts: [Account]
    private let evaluation: Data
    private let state = Mutex(State())
    private let running = DispatchGroup()

    init(_ count: Int, of kinds: [Kind], on addresses: [String], port: Int) throws {
        self.kinds = kinds
        accounts = try (0..<count).map {
            try Account(LoopbackClient(port: port, address: addresses[$0 % addresses.count]))
        }
        let writer = try Account(LoopbackClient(port: port, address: "127.0.1.100"))
        try writer.makeList()
        for _ in 0..<5 { try writer.add(400, comment: 2_000) }
        let link = try writer.link()
        for (index, account) in accounts.enumerated() {
            switch kinds[index / addresses.count % kinds.count] {
            case .reads: try account.join(link)
            case .pushes: try account.makeList()
            case .evaluations: break
            }
        }
        let description = try JSONDecoder().decode(
            DiscoveryDescription.self,
            from: try writer.client.ask("GET", "/v1/discovery", token: writer.session.token).body)
        let elements = try RistrettoPRF().blind((0..<1_000).map { Array("tel:+43\($0)".utf8) })
        evaluation = try JSONEncoder().encode(
            EvaluationRequest(
                key: description.keys[0].id, elements: elements.map { Data($0.element).base64URL }))
        self.addresses = addresses.count
    }

    private let addresses: Int

    /// Starts the accounts, each on its own thread.
    func begin() {
        for index in accounts.indices {
            running.enter()
            let thread = Thread { [self] in
                giveWay()
                let kind = kinds[index / addresses % kinds.count]
                while !state.withLock({ $0.isOver }) { ask(index, kind) }
                running.leave()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Lets all other threads come first. Real clients have their own processors; here they share those of the server.
    private func giveWay() {
        #if os(Linux)
            // Only for this thread. A hundred threads of the lowest priority would still outweigh those of the server.
            // `SCHED_IDLE` is 5; Swift does not import it.
            var parameters = sched_param()
            _ = sched_setscheduler(0, 5, &parameters)
        #endif
    }

    /// Stops the accounts, and waits for their last answers.
    func end() {
        state.withLock { $0.isOver = true }
        running.wait()
    }

    private func ask(_ index: Int, _ kind: Kind) {
        let account = accounts[index]
        let status: Int? = try? {
            switch kind {
            case .evaluations:
                try account.client.ask(
                    "POST", "/v1/discovery/evaluations", token: account.session.token, body: evaluation
                ).status
            case .reads: try account.readAll()
            case .pushes: try account.add(500)
            }
        }()
        state.withLock { state in
            switch status {
            case 200: state.served[kind.rawValue, default: 0] += 1
            case nil: state.broken += 1
            default: state.refused += 1
            }
        }
        if status != 200 { Thread.sleep(forTimeInterval: 0.1) }
    }

    /// The numbers of answered, refused and interrupted requests.
    var summary: String {
        state.withLock { state in
            let served = kinds.map { "\(state.served[$0.rawValue] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
            return "\(served), \(state.refused) refused, \(state.broken) cut off"
        }
    }
}
