#if !canImport(Darwin)
    package import Foundation

    /// One HTTP request, and how long libcurl waits for its answer.
    package struct CurlRequest: Sendable {
        package var method: String
        package var url: URL
        package var headers: [String: String]
        package var body: Data?
        /// Until there is a connection.
        package var connecting: Duration
        /// How long nothing may come or go; in whole seconds.
        package var silence: Duration
        /// Until the whole answer has come; nil for one that may go on for ever.
        package var deadline: Duration?
        /// Whether the environment's proxy is passed by.
        package var isDirect: Bool
        /// The user and the password for Digest (RFC 7616); nil if the request is not signed with it.
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
        /// The HTTP status code; 0 before there is one.
        package var status = 0
        /// By their names in small letters.
        package var headers: [String: String] = [:]
    }

    /// Why there is no whole answer.
    package struct CurlFailure: Error, CustomStringConvertible {
        package enum Reason: Sendable {
            /// Whoever heard the answer wanted no more of it.
            case stopped
            /// The server's certificate is not trusted.
            case untrusted
            /// The deadline has passed, or nothing came for too long.
            case timedOut
            /// Another one: see the description.
            case other
        }

        package let reason: Reason
        /// What had come of the head.
        package let head: CurlHead
        /// Whether a part of the body had come.
        package let hadBegun: Bool
        /// libcurl's own words.
        package let description: String
    }
#endif
