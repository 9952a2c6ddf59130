import Foundation
import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Writes the events of one stream to its connection.
///
/// While there is no news, the stream has no task, because the stack of a suspended task needs more memory than the rest
/// of an idle connection. News begins a task on the connection's event loop, which ends when the news is written.
///
///     begin ──▶ writing ──nothing new──▶ waiting ──bell──▶ writing ──last event, or failure──▶ ended
///
/// An event is written when the one before has left for the client. News that comes in between is combined, so a slow
/// reader never has more than one event waiting.
final class StreamWriter: Sendable {
    private struct State {
        /// The events; nil after the end.
        var events: ServerEvents?
        /// Whether a task writes. After the end no other begins.
        var isWriting = true
        /// Whether the bell has rung since the task has begun to write the last news.
        var hasNews = false
    }

    private let channel: any Channel
    private let executor: EventLoopExecutor
    private let logger: Logger
    private let state: Mutex<State>

    /// - Parameters:
    ///   - events: The events to write.
    ///   - channel: The connection, to which the head of the answer was written.
    ///   - logger: The logger for failures.
    init(_ events: ServerEvents, to channel: any Channel, logger: Logger) {
        self.channel = channel
        self.logger = logger
        executor = EventLoopExecutor(channel.eventLoop)
        state = Mutex(State(events: events))
    }

    /// Whether the end of the answer was written, or is about to be.
    var isEnded: Bool { state.withLock { $0.events == nil } }

    /// Writes the first event, and from then on all news.
    func begin() {
        // The stream is removed when nothing refers to it any more. Its bell must not keep it.
        state.withLock { $0.events }?.whenNews { [weak self] in self?.wake() }
        startTask(isFirst: true)
    }

    /// Ends the stream after its reader has disconnected.
    func readerLeft() { state.withLock { $0.events }?.end() }

    private func wake() {
        let begins = state.withLock { state in
            if state.isWriting {
                state.hasNews = true
                return false
            }
            state.isWriting = true
            return true
        }
        if begins { startTask(isFirst: false) }
    }

    private func startTask(isFirst: Bool) {
        // The task-local values of the code that rings the bell are not meant for this task.
        Task.detached(executorPreference: executor) { [self] in await write(isFirst: isFirst) }
    }

    @concurrent private func write(isFirst: Bool) async {
        var isFirst = isFirst
        repeat {
            guard let events = state.withLock({ $0.events }) else { return }
            do {
                if isFirst {
                    try await events.writeFirst(send)
                    isFirst = false
                } else if try await !events.writeNews(send) {
                    return end()
                }
            } catch {
                logger.debug("A live stream broke off.", metadata: ["cause": "\(error)"])
                return end()
            }
        } while takeNews()
    }

    /// Whether there is news to write. Otherwise the task ends.
    private func takeNews() -> Bool {
        state.withLock { state in
            state.isWriting = state.hasNews
            state.hasNews = false
            return state.isWriting
        }
    }

    /// Writes one event, and waits until it has left for the client.
    @concurrent private func send(_ event: Data) async throws {
        try await channel.writeAndFlush(HTTPResponsePart.body(ByteBuffer(bytes: event)))
    }

    /// Ends the answer, and closes the connection, because nothing reads another request from it.
    private func end() {
        let events = state.withLock { state in
            defer { state.events = nil }
            return state.events
        }
        channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
        channel.close(promise: nil)
        // Releasing the stream removes it, which rings other bells. The lock must not be held meanwhile.
        withExtendedLifetime(events) {}
    }
}
