package import Foundation
import KithModel

/// A connection to the server with the token of a session. The endpoints that need a session are its methods.
package struct SessionConnection: Sendable {
    private let connection: ServerConnection
    private let token: String

    init(_ connection: ServerConnection, token: String) { (self.connection, self.token) = (connection, token) }

    func sync(_ request: SyncRequest) async throws -> SyncAnswer {
        let data = try await connection.answer(
            to: TransportRequest(
                method: "POST", path: "/v1/sync", token: token, body: request.json, prefersMinimal: true))
        let answer = try ServerConnection.read(data, of: "POST /v1/sync") { try SyncAnswer(json: $0) }
        // A page is written by reading every column up to the length of the first.
        guard answer.feeds.allSatisfy({ $0.page?.columns.allSatisfy(\.isWellFormed) ?? true }) else {
            throw KithError(.malformed, "The columns of the server's answer differ in length. Is it a Kith server?")
        }
        // The device counts on from this number.
        guard Limits.numbers.contains(answer.acknowledged.number) else {
            throw KithError(.malformed, "The server's answer has an impossible number. Is it a Kith server?")
        }
        return answer
    }

    /// What the server says of the session.
    func description() async throws -> SessionDescription {
        try await call("GET", "/v1/session")
    }

    /// Closes the session.
    func close() async throws {
        _ = try await send("DELETE", "/v1/session", body: nil)
    }

    /// Sends a request for a code. If its answer is lost, the next request for the same identity has the same id.
    func repeating(
        _ request: CodeRequest, at now: Timestamp, _ send: (CodeRequest) async throws -> SentCode
    ) async throws -> SentCode {
        let attempt = connection.unansweredCodeRequests.take(request, of: token, at: now)
        do {
            return try await send(attempt.request)
        } catch {
            if (error as? KithError)?.isRefusedByServer != true { connection.unansweredCodeRequests.keep(attempt) }
            throw error
        }
    }

    /// Opens the live stream, which reports feeds that others have changed, and presence.
    func live(device: DeviceID, as shown: Presence.State?) -> AsyncThrowingStream<ServerEvent, any Error> {
        let presence = shown.map { "&presence=\($0.rawValue)" } ?? ""
        return connection.transport.events(
            TransportRequest(method: "GET", path: "/v1/live?device=\(device)\(presence)", token: token))
    }

    // MARK: Calling

    package func call<Answer: Decodable>(
        _ method: String, _ path: String, body: (any Encodable)? = nil, languages: [String] = []
    ) async throws -> Answer {
        try await connection.call(method, path, token: token, body: body, languages: languages)
    }

    /// Sends a request that makes something new, as ``ServerConnection/make(_:token:body:)``.
    func make<Answer: Decodable>(_ path: String, body: (any Encodable)? = nil) async throws -> Answer {
        try await connection.make(path, token: token, body: body)
    }

    package func send(
        _ method: String, _ path: String, body: Data?, type: String = TransportRequest.json
    ) async throws -> Data {
        try await connection.send(method, path, token: token, body: body, type: type)
    }
}
