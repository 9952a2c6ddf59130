#if !canImport(Darwin)
    package import Foundation

    /// One HTTP request with its timeouts.
    package struct CurlRequest: Sendable {
        package var method: String
        package var url: URL
        package var headers: [String: String]
        package var body: Data?
        /// The timeout for the connection.
        package var connecting: Duration
        /// The timeout without any data in either direction, in whole seconds.
        package var silence: Duration
        /// The timeout for the complete answer; nil for an answer without an end.
        package var deadline: Duration?
        /// Whether to bypass the environment's proxy.
        package var isDirect: Bool
        /// The user and the password for Digest authentication (RFC 7616); nil for none.
        package var digest: (user: String, password: String)?

        package init(
            method: String, url: URL, headers: [String: String], body: Data?,
            connecting: Duration = .seconds(30), silence: Duration = .seconds(30), deadline: Duration? = nil,
            isDirect: Bool = false, digest: (user: String, password: String)? = nil
        ) {
            (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
            (self.connecting, self.silence, self.deadline) = (connecting, silence, deadline)
            (self.isDirect, self.digest) = (isDirect, digest)
        }
    }

    /// The status and the headers of an answer.
    package struct CurlHead: Sendable {
        /// The HTTP status code; 0 before it has arrived.
        package var status = 0
        /// The headers by name, in lower case.
        package var headers: [String: String] = [:]
    }

    /// The reason for an incomplete answer.
    package struct CurlFailure: Error, CustomStringConvertible {
        package enum Reason: Sendable {
            /// The listener stopped the request.
            case stopped
            /// The server's certificate is not trusted.
            case untrusted
            /// The server's name leads to no address.
            case unknownHost
            /// The TLS handshake failed.
            case tlsFailed
            /// A timeout has expired.
            case timedOut
            /// The system has no libcurl.
            case noLibrary
            /// Any other reason: see the description.
            case other
        }

        package let reason: Reason
        /// The part of the head that had arrived.
        package let head: CurlHead
        /// Whether a part of the body had arrived.
        package let hadBegun: Bool
        /// libcurl's error message.
        package let description: String

        /// Nothing was sent, because the system has no libcurl.
        static let noLibrary = CurlFailure(
            reason: .noLibrary, head: CurlHead(), hadBegun: false,
            description: "libcurl is missing, so nothing was sent. Install it; on Debian its package is libcurl4.")
    }
#endif
