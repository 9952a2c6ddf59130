import Foundation
import KithModel

/// The server's endpoints over a transport: typed requests and answers, and problems as ``KithError``. The endpoints that
/// need a session are methods of ``SessionConnection``.
struct ServerConnection: Sendable {
    let transport: any Transport
    /// The server's normalized address; nil if only the transport knows it.
    var address: String?
    /// The requests of ``make(_:token:body:)`` that may have been carried out.
    private let unanswered = UnansweredRequests()
    /// The requests of ``SessionConnection/repeating(_:at:_:)`` that may have been carried out.
    let unansweredCodeRequests = UnansweredCodeRequests()

    init(transport: any Transport, address: String? = nil) {
        self.transport = transport
        self.address = address
    }

    /// Asks the server for its id. Servers of older versions have none.
    func identify() async throws -> ServerIdentity {
        let response = try await transport.send(TransportRequest(method: "GET", path: "/ready"))
        let answer = try? JSONDecoder().decode(ServerIDOnly.self, from: response.body)
        if let id = answer?.server { return ServerIdentity(id: id, address: address) }
        // A proxy may forward only `/v1`, so 404 is accepted as an answer without an id.
        guard (answer != nil && response.status == 200) || response.status == 404 else {
            guard response.status == 200 else {
                throw failure(of: response)
            }
            throw KithError.noKithServer(at: address)
        }
        return ServerIdentity(address: address)
    }

    /// The member `server` of any answer of `/ready`: a `Readiness`, or a `Problem` with status 503.
    private struct ServerIDOnly: Decodable {
        var server: ServerID?
    }

    func openSession() async throws -> NewSession {
        try await make("/v1/sessions")
    }

    /// The endpoints that need a session, with its token.
    func with(token: String) -> SessionConnection { SessionConnection(self, token: token) }

    // MARK: Calling

    func call<Answer: Decodable>(
        _ method: String, _ path: String, token: String? = nil, body: (any Encodable)? = nil, languages: [String] = []
    ) async throws -> Answer {
        let data = try await send(
            method, path, token: token, body: body.map { try JSONEncoder().encode($0) }, languages: languages)
        return try Self.read(data, of: "\(method) \(path)") { try JSONDecoder().decode(Answer.self, from: $0) }
    }

    /// Sends a request that makes something new. If its answer is lost, the next call with the same content has the same
    /// key, so that the server answers with what it has made.
    func make<Answer: Decodable>(
        _ path: String, token: String? = nil, body: (any Encodable)? = nil
    ) async throws -> Answer {
        let encoder = JSONEncoder()
        // The same content must have the same bytes.
        encoder.outputFormatting = .sortedKeys
        let request = unanswered.take(
            TransportRequest(method: "POST", path: path, token: token, body: try body.map { try encoder.encode($0) }))
        do {
            return try Self.read(try await answer(to: request), of: "POST \(path)") {
                try JSONDecoder().decode(Answer.self, from: $0)
            }
        } catch {
            if (error as? KithError)?.isRefusedByServer != true { unanswered.keep(request) }
            throw error
        }
    }

    static func read<Answer>(
        _ data: Data, of request: String, _ decode: (Data) throws -> Answer
    ) throws -> Answer {
        do {
            return try decode(data)
        } catch {
            throw KithError(
                .malformed, "The server's answer to \(request) cannot be read. Is it a Kith server?", cause: error)
        }
    }

    func send(
        _ method: String, _ path: String, token: String?, body: Data?, type: String = TransportRequest.json,
        languages: [String] = []
    ) async throws -> Data {
        try await answer(
            to: TransportRequest(
                method: method, path: path, token: token, body: body, contentType: type, languages: languages))
    }

    /// The body of the answer to a request.
    func answer(to request: TransportRequest) async throws -> Data {
        let response = try await transport.send(request)
        if (200..<300).contains(response.status) { return response.body }
        throw failure(of: response)
    }

    private func failure(of response: TransportResponse) -> KithError {
        KithError(status: response.status, retryAfter: response.retryAfter, body: response.body, from: address)
    }
}
