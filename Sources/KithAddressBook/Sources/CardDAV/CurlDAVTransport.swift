import Kith

#if !canImport(Darwin)
    /// WebDAV through libcurl, for Linux.
    package final class CurlDAVTransport: DAVTransport {
        private let timeouts: DAVTimeouts
        private let client = CurlClient()

        package init(timeouts: DAVTimeouts = DAVTimeouts()) { self.timeouts = timeouts }

        package func send(_ request: DAVRequest) async throws -> DAVResponse {
            let curlRequest = CurlRequest(
                method: request.method, url: request.url, headers: request.headers, body: request.body,
                connecting: timeouts.connecting, silence: timeouts.silence, deadline: timeouts.deadline(of: request),
                isDirect: PasswordTrust.isLoopback(request.url),
                digest: request.digest.map { ($0.user, $0.password) })
            do {
                let (head, body) = try await client.send(curlRequest, limit: request.limit)
                return DAVResponse(status: head.status, headers: head.headers, body: body)
            } catch let failure as CurlFailure {
                switch failure.reason {
                case .stopped: throw KithError(tooLongAnswerTo: request)
                case .untrusted: throw KithError(untrusted: request.url, failure)
                case .timedOut where failure.hadBegun:
                    throw KithError(unreachable: request.url, DAVTooSlow(cause: failure))
                case .noLibrary: throw KithError(.offline, failure.description, cause: failure)
                case .unknownHost, .tlsFailed, .timedOut, .other: throw KithError(unreachable: request.url, failure)
                }
            }
        }
    }
#endif
