import Foundation

/// An HTTP client with one persistent connection and its own source address. It waits for each answer.
final class LoopbackClient {
    private let connection: HTTPConnection

    /// A client with the source address `address`, in 127.0.0.0/8.
    init(port: Int, address: String) { connection = HTTPConnection(port: port, from: address) }

    /// Sends a request and reads the whole answer.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path with its query.
    ///   - token: The token of a session.
    ///   - fields: The lines of further fields, each without its end.
    ///   - body: A body in JSON.
    /// - Returns: The status and the body of the answer.
    /// - Throws: If the connection breaks. The next request opens another one.
    func ask(
        _ method: String, _ path: String, token: String? = nil, fields: [String] = [], body: Data? = nil
    ) throws -> (status: Int, body: Data) {
        var fields = fields
        if let token { fields.append("Authorization: Bearer \(token)") }
        if body != nil { fields.append("Content-Type: application/json") }
        let answer = try connection.ask(HTTPRequest.bytes(method, path, fields, body: body))
        return (answer.status, Data(answer.body))
    }
}
