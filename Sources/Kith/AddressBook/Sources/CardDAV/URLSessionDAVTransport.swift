import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// WebDAV through URLSession. Keeps no cookies, no cache and no credentials.
package final class URLSessionDAVTransport: DAVTransport {
    private let session: URLSession
    private let exchanges = Exchanges()

    package init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 30
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    package func send(_ request: DAVRequest) async throws -> DAVResponse {
        var urlRequest = URLRequest(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData)
        urlRequest.httpMethod = request.method
        urlRequest.httpBody = request.body
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: urlRequest)
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    exchanges.begin(task.taskIdentifier, limit: request.limit, continuation)
                    task.resume()
                }
            } onCancel: {
                task.cancel()
            }
        } catch let error as KithError {
            throw error
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw KithError(reaching: request.url, error)
        }
    }
}

/// The exchanges under way, by the numbers of their tasks.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange {
        let limit: Int
        let continuation: CheckedContinuation<DAVResponse, any Error>
        var body = Data()
        var isTooLong = false
    }

    private let underWay = Mutex<[Int: Exchange]>([:])

    func begin(_ number: Int, limit: Int, _ continuation: CheckedContinuation<DAVResponse, any Error>) {
        underWay.withLock { $0[number] = Exchange(limit: limit, continuation: continuation) }
    }

    func urlSession(_ session: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = underWay.withLock { underWay in
            guard var exchange = underWay.removeValue(forKey: task.taskIdentifier) else { return false }
            exchange.isTooLong = exchange.body.count + data.count > exchange.limit
            if !exchange.isTooLong { exchange.body.append(data) }
            underWay[task.taskIdentifier] = exchange
            return exchange.isTooLong
        }
        if isTooLong { task.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = underWay.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        let url = task.originalRequest?.url
        if exchange.isTooLong {
            let sentence = "An answer of \(url?.host() ?? "the server") is longer than \(exchange.limit) bytes."
            exchange.continuation.resume(throwing: KithError(.tooMany, sentence))
        } else if let response = task.response as? HTTPURLResponse, error == nil || response.statusCode == 401 {
            exchange.continuation.resume(returning: DAVResponse(response, exchange.body))
        } else {
            exchange.continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// The request is signed in already: a refusal of that is an answer. Without this, Linux's URLSession never ends;
    /// with it, the answer there comes with an error.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Darwin)
            let isOfTLS = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
            completionHandler(isOfTLS ? .performDefaultHandling : .rejectProtectionSpace, nil)
        #else
            completionHandler(.rejectProtectionSpace, nil)
        #endif
    }
}

extension DAVResponse {
    fileprivate init(_ response: HTTPURLResponse, _ body: Data) {
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
        self.init(status: response.statusCode, headers: headers, body: body)
    }
}

extension KithError {
    fileprivate init(reaching url: URL, _ error: any Error) {
        let host = url.host() ?? url.absoluteString
        switch (error as? URLError)?.code {
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .secureConnectionFailed:
            self.init(
                .refused, "The certificate of \(host) is not trusted, so nothing was sent. Ask who runs the server.",
                cause: error)
        default:
            self.init(.offline, "\(host) cannot be reached. What was last read is kept.", cause: error)
        }
    }
}
