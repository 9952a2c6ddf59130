import Foundation
import Kith

/// Sends requests to a WebDAV server: over real HTTP, or simulated in tests.
package protocol DAVTransport: Sendable {
    /// Sends one request and returns the whole answer, whatever its status. Does not follow redirects, because
    /// ``DAVConnection`` decides where the password may go.
    ///
    /// - Throws: ``KithError``: `offline` if there was no answer, `tooMany` if it is longer than the request's limit,
    ///   `refused` if the server's certificate is not trusted; `CancellationError`.
    func send(_ request: DAVRequest) async throws -> DAVResponse
}

#if canImport(Darwin)
    /// The HTTP transport of this platform.
    package typealias SystemDAVTransport = URLSessionDAVTransport
#else
    /// The HTTP transport of this platform.
    package typealias SystemDAVTransport = CurlDAVTransport
#endif

extension KithError {
    /// No complete answer arrived.
    init(unreachable url: URL, _ cause: any Error) {
        let host = url.host() ?? url.absoluteString
        self.init(.offline, "\(host) cannot be reached.", cause: cause)
    }

    /// The certificate is not trusted, so nothing was sent.
    init(untrusted url: URL, _ cause: any Error) {
        let host = url.host() ?? url.absoluteString
        self.init(
            .refused, "The certificate of \(host) is not trusted, so nothing was sent. Ask who runs the server.",
            cause: cause)
    }

    /// The answer is longer than the request allows.
    init(tooLongAnswerTo request: DAVRequest) {
        let host = request.url.host() ?? "the server"
        self.init(.tooMany, "An answer of \(host) is longer than \(request.limit) bytes.")
    }
}
