import Foundation
import HTTPTypes
import KithModel

extension Call {
    /// Reads the form that a browser has sent from a page of this server.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Returns: The form; nil if another website has sent it. Answer with ``foreignForm`` then.
    /// - Throws: ``ServerError``: `unsupportedType`, `tooLarge` or `malformed`.
    func form(upTo limit: Int = FormFields.limit) async throws -> FormFields? {
        guard !isFromElsewhere else { return nil }
        guard incoming.mediaType == "application/x-www-form-urlencoded" else {
            throw ServerError(
                .unsupportedType, "The body's Content-Type is not application/x-www-form-urlencoded. Send the form.")
        }
        guard let form = FormFields(try await incoming.bytes(upTo: limit, else: .tooLargeForm(limit))) else {
            throw ServerError.unreadableForm
        }
        return form
    }

    /// Whether another website has sent the request.
    var isFromElsewhere: Bool {
        FormSource(incoming.headers, authority: incoming.authority, publicURL: api.origin.text) == .elsewhere
    }

    /// The answer to a form from another website.
    var foreignForm: Answer { answer(ProblemPage.page("foreign", .forbidden)) }

    /// Sends the browser to another page of this server, with GET, so that nothing is sent again when it reloads the page.
    ///
    /// - Parameter path: The path below the public address, and a query without personal data.
    /// - Returns: The answer.
    func redirect(to path: String) -> Answer {
        Answer(.seeOther, headers: [.location: api.origin.root + path, .referrerPolicy: "no-referrer"])
    }
}

extension ServerError {
    /// The error for a form that lacks a field.
    static var unreadableForm: ServerError {
        ServerError(.malformed, "The form lacks a field, or has an invalid one. Open the page again.", path: "$")
    }
}

extension Answer {
    /// The answer, which also sets a cookie or removes one.
    func setting(_ cookie: String) -> Answer {
        var answer = self
        answer.headers.append(HTTPField(name: .setCookie, value: cookie))
        return answer
    }
}
