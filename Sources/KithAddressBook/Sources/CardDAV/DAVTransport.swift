import Foundation
import Kith

/// The way to a WebDAV server: real HTTP, or something else in tests.
package protocol DAVTransport: Sendable {
    /// Sends one request and returns the whole answer, whatever its status. Follows no redirect: whether the password
    /// may go there is not decided here.
    ///
    /// - Throws: ``KithError``: `offline` if no answer came, `tooMany` if it is longer than the request's limit,
    ///   `refused` if the server's certificate is not trusted; `CancellationError`.
    func send(_ request: DAVRequest) async throws -> DAVResponse
}

#if canImport(Darwin)
    /// Real HTTP, as this system has it.
    package typealias SystemDAVTransport = URLSessionDAVTransport
#else
    /// Real HTTP, as this system has it.
    package typealias SystemDAVTransport = CurlDAVTransport
#endif

/// How long a transport waits for a server.
package struct DAVPatience: Sendable {
    /// Until there is a connection.
    package var connecting = Duration.seconds(30)
    /// How long nothing may come or go; in whole seconds.
    package var silence = Duration.seconds(30)
    /// Until the whole answer has come, however busily it does, where fewer cards can be asked for.
    package var cards = Duration.seconds(60)
    /// Until a card that is asked for alone has come: one with a large picture on a slow line.
    package var card = Duration.seconds(180)
    /// Until any other answer has come: a listing of a hundred thousand cards on a slow line.
    package var whole = Duration.seconds(15 * 60)

    package init() {}

    /// How long the answer to a request may take.
    package func deadline(of request: DAVRequest) -> Duration {
        switch request.extent {
        case .whole: whole
        case .cards: cards
        case .card: card
        }
    }
}

extension KithError {
    /// No whole answer came.
    init(unreachable url: URL, _ cause: any Error) {
        let host = url.host() ?? url.absoluteString
        self.init(.offline, "\(host) cannot be reached.", cause: cause)
    }

    /// Nothing was sent, as the server could be another.
    init(untrusted url: URL, _ cause: any Error) {
        let host = url.host() ?? url.absoluteString
        self.init(
            .refused, "The certificate of \(host) is not trusted, so nothing was sent. Ask who runs the server.",
            cause: cause)
    }

    /// More came than the request allows.
    init(tooLongAnswerTo request: DAVRequest) {
        let host = request.url.host() ?? "the server"
        self.init(.tooMany, "An answer of \(host) is longer than \(request.limit) bytes.")
    }
}
