#if canImport(Darwin)
    import Foundation
    import Kith
    import Synchronization

    /// WebDAV through URLSession, for Apple platforms. Stores no cookies, cache or credentials.
    package final class URLSessionDAVTransport: DAVTransport {
        private let session: URLSession
        private let exchanges = Exchanges()

        /// A transport with these time limits. URLSession has no separate limit for connecting, so
        /// ``DAVTimeouts/silence`` applies.
        package init(timeouts: DAVTimeouts = DAVTimeouts()) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForRequest = timeouts.silence / .seconds(1)
            configuration.timeoutIntervalForResource = timeouts.whole / .seconds(1)
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
                        exchanges.begin(task.taskIdentifier, request, continuation)
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

    /// The exchanges in progress, by task number.
    private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
        private struct Exchange {
            let request: DAVRequest
            let continuation: CheckedContinuation<DAVResponse, any Error>
            var body = Data()
            var isTooLong = false
        }

        private let underWay = Mutex<[Int: Exchange]>([:])

        func begin(_ number: Int, _ request: DAVRequest, _ continuation: CheckedContinuation<DAVResponse, any Error>) {
            underWay.withLock { $0[number] = Exchange(request: request, continuation: continuation) }
        }

        func urlSession(_ session: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data) {
            let isTooLong = underWay.withLock { underWay in
                guard var exchange = underWay.removeValue(forKey: task.taskIdentifier) else { return false }
                exchange.isTooLong = exchange.body.count + data.count > exchange.request.limit
                if !exchange.isTooLong { exchange.body.append(data) }
                underWay[task.taskIdentifier] = exchange
                return exchange.isTooLong
            }
            if isTooLong { task.cancel() }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            guard let exchange = underWay.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
            if exchange.isTooLong {
                exchange.continuation.resume(throwing: KithError(tooLongAnswerTo: exchange.request))
            } else if let response = task.response as? HTTPURLResponse, error == nil {
                exchange.continuation.resume(returning: DAVResponse(response, exchange.body))
            } else if let error = error as? URLError, error.code == .timedOut, !exchange.body.isEmpty {
                let url = exchange.request.url
                exchange.continuation.resume(throwing: KithError(unreachable: url, DAVTooSlow(cause: error)))
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

        /// Only Digest is answered here. Other requests are signed already, so their refusal is returned as an answer.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let method = challenge.protectionSpace.authenticationMethod
            let digest = underWay.withLock { $0[task.taskIdentifier]?.request.digest }
            if method == NSURLAuthenticationMethodHTTPDigest, challenge.previousFailureCount == 0, let digest {
                let credential = URLCredential(user: digest.user, password: digest.password, persistence: .none)
                return completionHandler(.useCredential, credential)
            }
            let isOfTLS = method == NSURLAuthenticationMethodServerTrust
            completionHandler(isOfTLS ? .performDefaultHandling : .rejectProtectionSpace, nil)
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
            switch (error as? URLError)?.code {
            case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
                .serverCertificateNotYetValid, .secureConnectionFailed:
                self.init(untrusted: url, error)
            default: self.init(unreachable: url, error)
            }
        }
    }
#endif
