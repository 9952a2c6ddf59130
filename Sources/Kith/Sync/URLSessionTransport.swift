public import Foundation
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
import Synchronization

/// HTTP through URLSession.
public struct URLSessionTransport: Transport {
    private let server: URL
    private let session: URLSession
    private let streams: EventStreams

    /// - Parameter server: The server's address, such as `https://kith.example.com`.
    public init(server: URL) {
        self.server = server
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 30
        configuration.httpShouldSetCookies = false
        session = URLSession(configuration: configuration)
        streams = EventStreams()
    }

    /// Sends one request and returns the whole answer; fails after 30 seconds of silence.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let urlRequest = makeRequest(request)
        do {
            let (body, response) = try await session.data(for: urlRequest)
            guard let response = response as? HTTPURLResponse else {
                throw KithError(.malformed, "\(server.absoluteString) does not speak HTTP.")
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

    /// Opens an event stream, which ends after 60 seconds of silence.
    public func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        var urlRequest = makeRequest(request)
        urlRequest.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        // The server sends a comment every 20 seconds.
        urlRequest.timeoutInterval = 60
        return streams.open(urlRequest, unreachable: unreachable)
    }

    private func makeRequest(_ request: TransportRequest) -> URLRequest {
        let base =
            server.absoluteString.hasSuffix("/") ? String(server.absoluteString.dropLast()) : server.absoluteString
        var urlRequest = URLRequest(url: URL(string: base + request.path) ?? server)
        urlRequest.httpMethod = request.method
        urlRequest.httpBody = request.body
        urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
        if let token = request.token { urlRequest.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if request.body != nil { urlRequest.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        return urlRequest
    }

    private func unreachable(_ error: any Error) -> KithError {
        KithError(
            .offline, "The server at \(server.absoluteString) cannot be reached. Edits are kept and sent later.",
            cause: error)
    }
}

/// The event streams that are open, each a task of one URLSession.
///
/// URLSession's async bytes do not exist on Linux, so a delegate hands the bytes on.
private final class EventStreams: NSObject, URLSessionDataDelegate, Sendable {
    private struct Stream {
        var parser = ServerEventParser()
        let continuation: AsyncThrowingStream<ServerEvent, any Error>.Continuation
        let unreachable: @Sendable (any Error) -> KithError
    }

    private struct State {
        var session: URLSession?
        var streams: [Int: Stream] = [:]
    }

    private let state = Mutex(State())

    func open(
        _ request: URLRequest, unreachable: @escaping @Sendable (any Error) -> KithError
    ) -> AsyncThrowingStream<ServerEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = state.withLock { state in
                let session =
                    state.session ?? URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
                state.session = session
                let task = session.dataTask(with: request)
                state.streams[task.taskIdentifier] = Stream(continuation: continuation, unreachable: unreachable)
                return task
            }
            continuation.onTermination = { _ in task.cancel() }
            task.resume()
        }
    }

    /// Ends the session, which keeps its delegate alive until then.
    func close() {
        state.withLock { $0.session?.invalidateAndCancel() }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else {
            let refusal =
                status == 401
                ? KithError(.unauthorized, "The server does not accept the session's token.")
                : KithError(.refused, "The live stream was refused with status \(status).")
            end(dataTask.taskIdentifier, refusal)
            return completionHandler(.cancel)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let (events, continuation) = state.withLock { state in
            let events = state.streams[dataTask.taskIdentifier]?.parser.feed(data) ?? []
            return (events, state.streams[dataTask.taskIdentifier]?.continuation)
        }
        for event in events { continuation?.yield(event) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end(task.taskIdentifier, error)
    }

    private func end(_ task: Int, _ error: (any Error)?) {
        guard let stream = state.withLock({ $0.streams.removeValue(forKey: task) }) else { return }
        stream.continuation.finish(throwing: error.map { $0 as? KithError ?? stream.unreachable($0) })
    }
}
