import Foundation
import Kith
import KithModel

/// The server's operations for discovery.
extension SessionConnection {
    func discovery() async throws -> DiscoveryDescription {
        try await call("GET", "/v1/discovery")
    }

    func evaluate(_ request: EvaluationRequest) async throws -> EvaluationAnswer {
        try await call("POST", "/v1/discovery/evaluations", body: request)
    }

    func buckets(_ request: BucketRequest) async throws -> BucketAnswer {
        var request = request
        request.isCompact = true
        let data = try await send(
            "POST", "/v1/discovery/buckets", body: try JSONEncoder().encode(request))
        guard let answer = BucketAnswer(data), answer.bits == request.bits else {
            throw KithError(.malformed, "The server's answer with buckets cannot be read. Is it a Kith server?")
        }
        return answer
    }

    /// The filter of a key; nil if the server, or the node that answers, is too old to have filters.
    func filter(of key: String) async throws -> TagFilter? {
        let data: Data
        do {
            data = try await send("GET", "/v1/discovery/filter?key=\(key.percentEncoded)", body: nil)
        } catch KithError.Code.notFound {
            return nil
        }
        guard let filter = TagFilter(data) else {
            throw KithError(.malformed, "The server's filter cannot be read. Is it a Kith server?")
        }
        return filter
    }
}
