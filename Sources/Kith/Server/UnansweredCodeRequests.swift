import KithModel
import Synchronization

/// The requests for codes that may have been carried out, because they got no answer.
///
/// The next request for the same number or email has the same id, so that the server sends no second code, and the code that
/// has arrived can be checked.
final class UnansweredCodeRequests: Sendable {
    /// A request, the token of the session that sent it, and the time of the first attempt.
    struct Attempt: Sendable {
        let request: CodeRequest
        let token: String
        let date: Timestamp
    }

    /// How long a code can be checked. After that, a new request sends a new one.
    static let lifetime = Duration.minutes(10)

    /// Oldest first.
    private let attempts = Mutex<[Attempt]>([])

    /// The attempt to send a request: with the id and the time of an unanswered one for the same identity, or else with its
    /// own.
    func take(_ request: CodeRequest, of token: String, at now: Timestamp) -> Attempt {
        attempts.withLock { attempts in
            // An attempt in the future was made before the clock was set back.
            attempts.removeAll { $0.date + Self.lifetime <= now || $0.date > now }
            let place = attempts.firstIndex { $0.token == token && $0.request.provesSame(as: request) }
            guard let place else { return Attempt(request: request, token: token, date: now) }
            let earlier = attempts.remove(at: place)
            var again = request
            again.id = earlier.request.id
            return Attempt(request: again, token: token, date: earlier.date)
        }
    }

    /// Remembers an attempt that got no answer.
    func keep(_ attempt: Attempt) {
        attempts.withLock { attempts in
            attempts.append(attempt)
            if attempts.count > UnansweredRequests.most { attempts.removeFirst() }
        }
    }
}
