import Foundation

/// Writes requests of HTTP/1.1.
enum HTTPRequest {
    /// A request with these fields, as bytes.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path with its query.
    ///   - fields: The lines of further fields, each without its end.
    ///   - body: The body; nil for a request without one.
    /// - Returns: The head and the body.
    static func bytes(_ method: String, _ path: String, _ fields: [String] = [], body: Data? = nil) -> [UInt8] {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for field in fields { head += field + "\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (body ?? Data())
    }
}
