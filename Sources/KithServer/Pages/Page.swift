package import HTTPTypes
import KithModel

/// A web page before it is rendered: its template, its status and its values.
package struct Page: Hashable, Sendable {
    /// The templates in `Templates`.
    package enum Template: String, CaseIterable, Sendable {
        case invitation, code, joined, list, problem, unsubscribe, passkey, pairing, share
        case signIn = "signin"
        case account, question, deletion
        case `operator`, funnel, referrals, decision, deliveries, health
    }

    package let template: Template
    package var status: HTTPResponse.Status
    /// How long to wait before the next try, if the status says that there were too many.
    package var retryAfter: Duration?
    /// The title of the window, without the name of the service.
    package let title: PageValue
    /// The values by the names in the template. A section whose value is missing is not shown.
    package var values: [String: PageValue]
    /// The scripts that the page loads, each a file of the server. The page can be used without them.
    package var scripts: [PageFile] = []

    /// Whether something has gone wrong. The title of the window says so, because a screen reader speaks it first.
    var hasError: Bool { ["error", "problem", "wordError", "listsError"].contains { values[$0] != nil } }

    package init(
        _ template: Template, _ status: HTTPResponse.Status = .ok, title: PageValue, _ values: [String: PageValue]
    ) {
        self.template = template
        self.status = status
        self.title = title
        self.values = values
    }

    /// The page as the answer to a form that has failed: with the status of the error, and how long to wait.
    func answering(_ error: ServerError) -> Page {
        var page = self
        (page.status, page.retryAfter) = (error.code.status, error.retryAfter)
        return page
    }
}
