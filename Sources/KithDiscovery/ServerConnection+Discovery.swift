import Foundation
import Kith
import KithModel

/// The server's operations for discovery.
extension ServerConnection {
    func discovery(token: String) async throws -> DiscoveryDescription {
        try await call("GET", "/v1/discovery", token: token)
    }

    func evaluate(_ request: EvaluationRequest, token: String) async throws -> EvaluationAnswer {
        try await call("POST", "/v1/discovery/evaluations", token: token, body: request)
    }

    func buckets(_ request: BucketRequest, token: String) async throws -> BucketAnswer {
        let data = try await send(
            "POST", "/v1/discovery/buckets", token: token, body: try JSONEncoder().encode(request))
        guard let answer = BucketAnswer(data), answer.bits == request.bits else {
            throw KithError(.malformed, "The server's answer with buckets cannot be read. Is it a Kith server?")
        }
        return answer
    }
}
