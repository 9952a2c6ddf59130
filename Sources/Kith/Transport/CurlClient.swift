#if !canImport(Darwin)
    package import Foundation
    import Synchronization

    /// HTTP through libcurl, which is what there is on Linux. Keeps no cookies and no credentials, and follows no redirect.
    ///
    /// URLSession is built on it there, too, but stops the program or waits for ever where a request is cancelled while its
    /// answer comes, and where a redirect leads to an address like `//[::1]/`.
    package final class CurlClient: Sendable {
        /// Hears a piece of the body, and says whether more is wanted.
        typealias Listener = @Sendable (CurlHead, UnsafeRawBufferPointer) -> Bool

        /// Those that may have a connection open.
        private let idle = Mutex<[CurlExchange]>([])

        /// How many connections are kept for later: nobody asks for more at once.
        private static let kept = 4

        package init() {}

        /// Sends a request and returns the whole answer, whatever its status.
        ///
        /// - Throws: ``CurlFailure``, with `stopped` if the body is longer than `limit`; `CancellationError`.
        package func send(_ request: CurlRequest, limit: Int) async throws -> (head: CurlHead, body: Data) {
            let body = Mutex(Data())
            let head = try await perform(request) { _, piece in
                body.withLock { body in
                    guard piece.count <= limit - body.count else { return false }
                    body.append(contentsOf: piece)
                    return true
                }
            }
            return (head, body.withLock { $0 })
        }

        /// Sends a request, and hands each piece of the body on as it comes.
        ///
        /// - Throws: ``CurlFailure``; `CancellationError`.
        @discardableResult
        func perform(_ request: CurlRequest, _ listener: @escaping Listener) async throws -> CurlHead {
            let cancellation = CurlCancellation()
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    // libcurl waits on a thread of the request's own, not where Swift's tasks run.
                    Thread.detachNewThread { [self] in perform(request, listener, cancellation, continuation) }
                }
            } onCancel: {
                cancellation.cancel()
            }
        }

        private func perform(
            _ request: CurlRequest, _ listener: @escaping Listener, _ cancellation: CurlCancellation,
            _ continuation: CheckedContinuation<CurlHead, any Error>
        ) {
            let exchange: CurlExchange
            do { exchange = try idle.withLock { $0.popLast() } ?? CurlExchange() } catch {
                return continuation.resume(throwing: error)
            }
            cancellation.begin(exchange)
            let result = Result { try exchange.perform(request, listener) }
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
