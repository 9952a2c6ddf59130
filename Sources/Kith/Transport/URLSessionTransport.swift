#if canImport(Darwin)
    public import Foundation
    import Synchronization

    /// HTTP through URLSession.
    public struct URLSessionTransport: Transport {
        private let server: URL
        private let session: URLSession

        /// - Parameters:
        ///   - server: The server's address, such as `https://kith.example.com`.
        ///   - silence: The time without data after which a request fails, in whole seconds.
        public init(server: URL, silence: Duration = .seconds(30)) {
            self.server = server
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForRequest = TimeInterval(silence.components.seconds)
            configuration.httpShouldSetCookies = false
            session = URLSession(configuration: configuration)
        }

        /// Sends one request and returns the complete answer. Fails after the time without data that the initializer
        /// names.
        ///
        /// - Throws: ``KithError`` with `offline` if no answer arrived, and `malformed` if it is a redirect;
        ///   `CancellationError`.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            let urlRequest = urlRequest(request)
            do {
                let (body, response) = try await session.data(for: urlRequest, delegate: RedirectRefusal())
                guard let response = response as? HTTPURLResponse else {
                    throw KithError(.malformed, "\(server.absoluteString) does not speak HTTP.")
                }
                let location = response.value(forHTTPHeaderField: "Location")
                if let error = KithError(redirect: response.statusCode, to: location, of: request, from: server) {
                    throw error
                }
                return TransportResponse(
                    status: response.statusCode,
                    retryAfter: response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }, body: body)
            } catch let error as KithError {
                throw error
            } catch {
                if Task.isCancelled { throw CancellationError() }
                throw unreachable(error)
            }
        }

        /// Opens an event stream. It ends after 60 seconds without data.
        public func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
            var urlRequest = urlRequest(request)
            urlRequest.setValue("text/event-stream", forHTTPHeaderField: "Accept")
            // The server sends a comment every 20 seconds.
            urlRequest.timeoutInterval = 60
            return EventStream.open(urlRequest, unreachable: unreachable)
        }

        private func urlRequest(_ request: TransportRequest) -> URLRequest {
            var urlRequest = URLRequest(url: request.url(at: server), cachePolicy: .reloadIgnoringLocalCacheData)
            urlRequest.httpMethod = request.method
            urlRequest.httpBody = request.body
            for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
            return urlRequest
        }

        private func unreachable(_ error: any Error) -> KithError {
            switch (error as? URLError)?.code {
            case .some(.cannotFindHost), .some(.dnsLookupFailed): KithError(unknownHost: server, cause: error)
            case .some(.secureConnectionFailed): KithError(withoutTLS: server, cause: error)
            default: KithError(unreachable: server, cause: error)
            }
        }
    }

    /// Follows no redirect, because a token is only sent to the configured address. The redirect is the answer.
    private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest
        ) async -> URLRequest? { nil }
    }

    /// One event stream. It has its own session, which ends with it.
    private final class EventStream: NSObject, URLSessionDataDelegate, Sendable {
        private let continuation: AsyncThrowingStream<ServerEvent, any Error>.Continuation
        private let unreachable: @Sendable (any Error) -> KithError
        private let parser = Mutex(ServerEventParser())

        private init(
            _ continuation: AsyncThrowingStream<ServerEvent, any Error>.Continuation,
            unreachable: @escaping @Sendable (any Error) -> KithError
        ) {
            self.continuation = continuation
            self.unreachable = unreachable
        }

        static func open(
            _ request: URLRequest, unreachable: @escaping @Sendable (any Error) -> KithError
        ) -> AsyncThrowingStream<ServerEvent, any Error> {
            AsyncThrowingStream { continuation in
                let session = URLSession(
                    configuration: .ephemeral, delegate: EventStream(continuation, unreachable: unreachable),
                    delegateQueue: nil)
                let task = session.dataTask(with: request)
                continuation.onTermination = { _ in task.cancel() }
                task.resume()
                // The session keeps its delegate alive until the task has ended, then releases it.
                session.finishTasksAndInvalidate()
            }
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
        ) {
            let http = response as? HTTPURLResponse
            guard http?.statusCode == 200 else {
                let retryAfter = http?.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
                continuation.finish(throwing: KithError(refusedStream: http?.statusCode ?? 0, retryAfter))
                return completionHandler(.cancel)
            }
            completionHandler(.allow)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest
        ) async -> URLRequest? { nil }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            for event in parser.withLock({ $0.feed(data) }) { continuation.yield(event) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            continuation.finish(throwing: error.map(unreachable))
        }
    }
#endif
