#if !canImport(Darwin)
    public import Foundation
    import Synchronization

    /// HTTP through libcurl, for Linux.
    public struct CurlTransport: Transport {
        private let server: URL
        private let silence: Duration
        private let client = CurlClient()

        /// The maximum number of bytes of an answer. The server never sends more at once.
        private static let longestAnswer = 256 << 20

        /// - Parameters:
        ///   - server: The server's address, such as `https://kith.example.com`.
        ///   - silence: The time without data after which a request fails, in whole seconds.
        public init(server: URL, silence: Duration = .seconds(30)) { (self.server, self.silence) = (server, silence) }

        /// Sends one request and returns the complete answer. Fails after the time without data that the initializer
        /// names, and after 15 minutes.
        ///
        /// - Throws: ``KithError`` with `offline` if no answer arrived, and `malformed` if it is a redirect;
        ///   `CancellationError`.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            var curlRequest = self.request(request)
            curlRequest.silence = silence
            curlRequest.deadline = .seconds(15 * 60)
            do {
                let (head, body) = try await client.send(curlRequest, limit: Self.longestAnswer)
                let location = head.headers["location"]
                if let error = KithError(redirect: head.status, to: location, of: request, from: server) { throw error }
                return TransportResponse(status: head.status, retryAfter: head.retryAfter, body: body)
            } catch let failure as CurlFailure {
                throw KithError(unreachable: server, failure)
            }
        }

        /// Opens an event stream. It ends after 60 seconds without data.
        public func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
            var curlRequest = self.request(request)
            curlRequest.headers["Accept"] = "text/event-stream"
            // The server sends a comment every 20 seconds.
            curlRequest.silence = .seconds(60)
            return AsyncThrowingStream { [curlRequest] continuation in
                let stream = Task { await run(curlRequest, continuation) }
                continuation.onTermination = { _ in stream.cancel() }
            }
        }

        private func run(
            _ request: CurlRequest, _ continuation: AsyncThrowingStream<ServerEvent, any Error>.Continuation
        ) async {
            let parser = Mutex(ServerEventParser())
            do {
                let head = try await client.perform(request) { head, piece in
                    guard head.status == 200 else { return false }
                    for event in parser.withLock({ $0.feed(Data(piece)) }) { continuation.yield(event) }
                    return true
                }
                guard head.status == 200 else { throw KithError(refusedStream: head.status, head.retryAfter) }
                continuation.finish()
            } catch let failure as CurlFailure where failure.reason == .stopped {
                continuation.finish(throwing: KithError(refusedStream: failure.head.status, failure.head.retryAfter))
            } catch let failure as CurlFailure {
                continuation.finish(throwing: KithError(unreachable: server, failure))
            } catch {
                continuation.finish(throwing: error)
            }
        }

        private func request(_ request: TransportRequest) -> CurlRequest {
            CurlRequest(
                method: request.method, url: request.url(at: server), headers: request.headers, body: request.body)
        }
    }

    extension CurlHead {
        fileprivate var retryAfter: Int? { headers["retry-after"].flatMap { Int($0) } }
    }

    extension KithError {
        /// The error if no complete answer has arrived.
        fileprivate init(unreachable server: URL, _ failure: CurlFailure) {
            switch failure.reason {
            case .untrusted:
                let host = server.host() ?? server.absoluteString
                self.init(
                    .offline,
                    "The certificate of \(host) is not trusted, so nothing was sent. If it is from an authority of your own, add "
                        + "that to the certificates of this system; otherwise ask who runs the server.",
                    cause: failure)
            case .noLibrary: self.init(.offline, failure.description, cause: failure)
            case .unknownHost: self.init(unknownHost: server, cause: failure)
            case .tlsFailed: self.init(withoutTLS: server, cause: failure)
            case .stopped, .timedOut, .other: self.init(unreachable: server, cause: failure)
            }
        }
    }
#endif
