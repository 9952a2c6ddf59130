/// How an attempt to send an event to a webhook ended.
package enum WebhookOutcome: Hashable, Sendable {
    /// The receiver has it: it answered with a status from 200 to 299.
    case delivered(status: Int)
    /// The receiver wants no more events: it answered with the status 410.
    case gone
    /// Anything else, such as another status or no answer.
    case failed(status: Int?, String)

    /// What the status of an answer means. Redirects are not followed, because the operator has named the address.
    package init(status: Int) {
        switch status {
        case 200...299: self = .delivered(status: status)
        case 410: self = .gone
        case 300...399: self = .failed(status: status, "HTTP \(status): redirects are not followed")
        default: self = .failed(status: status, "HTTP \(status)")
        }
    }

    /// The status of the answer; nil if there was none.
    var status: Int? {
        switch self {
        case .delivered(let status): status
        case .gone: 410
        case .failed(let status, _): status
        }
    }

    /// Why it was not delivered; nil if it was.
    var detail: String? {
        switch self {
        case .delivered: nil
        case .gone: "HTTP 410: the receiver wants no more events"
        case .failed(_, let detail): String(detail.prefix(WebhookLimits.detail))
        }
    }
}
