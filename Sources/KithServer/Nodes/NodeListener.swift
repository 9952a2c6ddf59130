import Foundation
import Synchronization

/// A thread that listens for the notices of other nodes, on a connection of its own. A lost connection is opened again.
final class NodeListener: Sendable {
    /// What the thread reports.
    enum Event: Hashable, Sendable {
        /// It listens from now on. What came before was perhaps not heard.
        case listening
        /// The connection was lost, or could not be opened.
        case lost(String)
        /// The text of a notice.
        case heard(String)
    }

    private let connect: @Sendable () throws -> PostgresConnection
    private let checking: Duration
    private let tell: @Sendable (Event) -> Void
    private let isEnding = Mutex(false)

    /// How long the thread waits before it looks whether it is to end.
    private static let slice = Duration.milliseconds(500)

    /// - Parameters:
    ///   - checking: After which silence the connection is checked. A host that is gone says nothing.
    ///   - connect: Opens a connection on the thread.
    ///   - tell: Receives the events, in their order.
    init(
        checking: Duration, _ connect: @escaping @Sendable () throws -> PostgresConnection,
        tell: @escaping @Sendable (Event) -> Void
    ) {
        (self.checking, self.connect, self.tell) = (checking, connect, tell)
    }

    func start() {
        let thread = Thread { [self] in run() }
        thread.name = "nodes"
        thread.start()
    }

    /// Ends the thread soon.
    func end() { isEnding.withLock { $0 = true } }

    private var hasEnded: Bool { isEnding.withLock { $0 } }

    private func run() {
        var pause = PostgresBackoff.shortest
        while !hasEnded {
            do {
                let connection = try connect()
                try connection.listen(to: NodeNotice.channel)
                pause = PostgresBackoff.shortest
                tell(.listening)
                try receive(from: connection)
            } catch {
                tell(.lost("\(error)"))
                Thread.sleep(forTimeInterval: pause / .seconds(1))
                pause = min(pause * 2, PostgresBackoff.longest)
            }
        }
    }

    private func receive(from connection: PostgresConnection) throws {
        var silence = Duration.zero
        while !hasEnded {
            if let text = try connection.nextNotification(within: Self.slice) {
                tell(.heard(text))
                silence = .zero
                continue
            }
            silence += Self.slice
            if silence >= checking {
                try connection.check()
                silence = .zero
            }
        }
    }
}
