#if !canImport(Darwin)
    import CCurl
    import Foundation
    import Synchronization

    /// WebDAV through libcurl, which is what there is on Linux.
    ///
    /// URLSession is built on it there, too, but stops the program when it meets a redirect to an address like `//[::1]/`,
    /// reaches none like that itself, and never ends some exchanges. Keeps no cookies and no credentials.
    package final class CurlDAVTransport: DAVTransport {
        private let patience: DAVPatience
        /// Those that may have a connection open.
        private let idle = Mutex<[CurlExchange]>([])

        /// How many connections are kept for later: a source asks for one thing after the other, and is polled.
        private static let kept = 2

        package init(patience: DAVPatience = DAVPatience()) { self.patience = patience }

        /// Each request has a thread of its own while it lasts: libcurl's wait there, and not where Swift's tasks run.
        package func send(_ request: DAVRequest) async throws -> DAVResponse {
            let cancellation = CurlCancellation()
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    Thread.detachNewThread { [self] in perform(request, cancellation, continuation) }
                }
            } onCancel: {
                cancellation.cancel()
            }
        }

        private func perform(
            _ request: DAVRequest, _ cancellation: CurlCancellation,
            _ continuation: CheckedContinuation<DAVResponse, any Error>
        ) {
            let exchange: CurlExchange
            do { exchange = try idle.withLock { $0.popLast() } ?? CurlExchange() } catch {
                return continuation.resume(throwing: error)
            }
            cancellation.begin(exchange)
            let result = Result { try exchange.perform(request, patience) }
            cancellation.end()
            if case .success = result {
                exchange.reset()
                idle.withLock { if $0.count < Self.kept { $0.append(exchange) } }
            }
            // A broken exchange may wait until a name was looked up before it goes: nobody need wait with it.
            withExtendedLifetime(exchange) { continuation.resume(with: result) }
        }
    }

    /// Ends a request for as long as it lasts: then the exchange may be another's.
    private final class CurlCancellation: Sendable {
        private struct State {
            var exchange: CurlExchange?
            var isCancelled = false
        }

        private let state = Mutex(State())

        func begin(_ exchange: CurlExchange) {
            state.withLock { state in
                state.exchange = exchange
                if state.isCancelled { exchange.cancel() }
            }
        }

        func cancel() {
            state.withLock { state in
                state.isCancelled = true
                state.exchange?.cancel()
            }
        }

        func end() { state.withLock { $0.exchange = nil } }
    }
#endif
