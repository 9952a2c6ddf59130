package import Foundation

/// One HTTP request to a WebDAV server.
package struct DAVRequest: Sendable {
    /// `PROPFIND`, `REPORT`, `GET`, `PUT`.
    package var method: String
    package var url: URL
    package var headers: [String: String]
    package var body: Data?
    /// How many bytes the answer's body may have.
    package var limit: Int

    package init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil, limit: Int) {
        (self.method, self.url, self.headers, self.body, self.limit) = (method, url, headers, body, limit)
    }
}

/// What came back.
package struct DAVResponse: Sendable {
    /// The HTTP status code.
    package var status: Int
    /// By their names in small letters.
    package var headers: [String: String]
    /// The whole body, decompressed.
    package var body: Data

    package init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// The way to a WebDAV server: real HTTP, or something else in tests.
package protocol DAVTransport: Sendable {
    /// Sends one request and returns the whole answer, whatever its status. Follows no redirect: whether the password
    /// may go there is not decided here.
    ///
    /// - Throws: ``KithError``: `offline` if no answer came, `tooMany` if it is longer than the request's limit,
    ///   `refused` if the server's certificate is not trusted; `CancellationError`.
    func send(_ request: DAVRequest) async throws -> DAVResponse
}
