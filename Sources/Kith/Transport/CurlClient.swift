#if !canImport(Darwin)
    package import Foundation
    import Synchronization

    /// HTTP through libcurl, for Linux. It stores no cookies and no credentials, and follows no redirects.
    ///
    /// URLSession on Linux is also built on libcurl. However, it crashes or hangs if a request is cancelled while the
    /// answer arrives, or if a redirect leads to an address like `//[::1]/`.
    package final class CurlClient: Sendable {
        /// Receives a piece of the body. Returns false to stop the request.
        typealias Listener = @Sendable (CurlHead, UnsafeRawBufferPointer) -> Bool

        /// Exchanges for reuse; each may have an open connection.
        private let idle = Mutex<[CurlExchange]>([])

        /// The maximum number of idle connections that are kept.
        private static let kept = 4

        package init() {}

        /// Sends a request and returns the complete answer, whatever its status.
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

        /// Sends a request, and passes each piece of the body on as it arrives.
        ///
        /// - Throws: ``CurlFailure``; `CancellationError`.
        @discardableResult
        func perform(_ request: CurlRequest, _ listener: @escaping Listener) async throws -> CurlHead {
            let cancellation = CurlCancellation()
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    // libcurl blocks its thread, so it gets a separate one and does not block Swift's tasks.
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
            // The caller is resumed first, because freeing a failed exchange may have to wait for a DNS lookup.
            withExtendedLifetime(exchange) { continuation.resume(with: result) }
        }
    }

    /// Cancels a request while it runs, but not after its end, when the exchange may belong to another request.
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
