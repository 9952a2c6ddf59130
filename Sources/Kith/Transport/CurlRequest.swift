#if !canImport(Darwin)
    import Foundation

    /// One HTTP request, and how long libcurl waits for its answer.
    struct CurlRequest: Sendable {
        var method: String
        var url: URL
        var headers: [String: String]
        var body: Data?
        /// Until there is a connection.
        var connecting = Duration.seconds(30)
        /// How long nothing may come or go; in whole seconds.
        var silence = Duration.seconds(30)
        /// Until the whole answer has come; nil for one that may go on for ever.
        var deadline: Duration?
        /// Whether the environment's proxy is passed by.
        var isDirect = false
        /// The user and the password for Digest (RFC 7616); nil if the request is not signed with it.
        var digest: (user: String, password: String)?
    }

    /// The status and the headers of an answer.
    struct CurlHead: Sendable {
        /// The HTTP status code; 0 before there is one.
        var status = 0
        /// By their names in small letters.
        var headers: [String: String] = [:]
    }

    /// Why there is no whole answer.
    struct CurlFailure: Error, CustomStringConvertible {
        enum Reason: Sendable {
            /// Whoever heard the answer wanted no more of it.
            case stopped
            /// The server's certificate is not trusted.
            case untrusted
            /// The deadline has passed, or nothing came for too long.
            case timedOut
            /// Another one: see the description.
            case other
        }

        let reason: Reason
        /// What had come of the head.
        let head: CurlHead
        /// Whether a part of the body had come.
        let hadBegun: Bool
        /// libcurl's own words.
        let description: String
    }
#endif
