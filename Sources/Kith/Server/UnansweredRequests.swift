import Foundation
import Synchronization

/// The requests that may have been carried out, because they got no answer, with their keys.
///
/// A key is taken by the next request with the same content. Requests at the same moment have different keys, so that
/// they make different things.
final class UnansweredRequests: Sendable {
    /// The number of requests that are remembered. Then the oldest is forgotten.
    static let most = 20

    /// Oldest first.
    private let requests = Mutex<[TransportRequest]>([])

    /// The request with a key: that of an unanswered request with the same content, or else a new one.
    func take(_ request: TransportRequest) -> TransportRequest {
        requests.withLock { requests in
            let place = requests.firstIndex {
                $0.path == request.path && $0.token == request.token && $0.body == request.body
            }
            if let place { return requests.remove(at: place) }
            var request = request
            request.key = UUID().uuidString
            return request
        }
    }

    /// Remembers a request that got no answer.
    func keep(_ request: TransportRequest) {
        requests.withLock { requests in
            requests.append(request)
            if requests.count > Self.most { requests.removeFirst() }
        }
    }
}
