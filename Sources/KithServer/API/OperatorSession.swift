import KithModel

/// The session of an operator who has signed in with a browser.
///
/// Only its check makes it, so a handler that receives one needs no check of its own.
struct OperatorSession: Sendable {
    /// The pages that the operator may open.
    let pages: OperatorPages
    /// What each page has, and the proofs of its forms.
    let frame: OperatorFrame
    private let token: String

    /// The session of the browser's cookie; nil if there is none.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the server has no pages for operators.
    init?(of call: Call) async throws {
        let pages = try call.operatorPages()
        let cookie = PageCookie.operatorPages
        guard let token = cookie.value(in: call.incoming.headers, isSecure: call.api.origin.isSecure),
            let name = try await pages.operators.find(token, at: call.now)
        else { return nil }
        (self.pages, self.token) = (pages, token)
        frame = OperatorFrame(name, token: token)
    }

    /// Reads a form of one of the pages. Somebody who is no operator any more when it has arrived is refused.
    ///
    /// - Returns: The form; nil if another website has sent it.
    /// - Throws: ``ServerError``: those of ``Call/form(upTo:)``, and `tokenInvalid`.
    func form(of call: Call, upTo limit: Int = FormFields.limit) async throws -> FormFields? {
        let form = try await call.form(upTo: limit)
        if call.isLate, try await OperatorSession(of: call) == nil { throw ServerError.unknownToken }
        return form
    }

    /// Ends the session.
    func end() async throws { try await pages.operators.signOut(token) }
}

extension Call {
    /// The operator's pages.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the server has none.
    func operatorPages() throws(ServerError) -> OperatorPages {
        guard let pages = api.pages.operators else { throw ServerError.nothingHere }
        return pages
    }
}

extension PageCookie {
    /// The cookie of an operator who has signed in. Browsers never send it when somebody comes from another website.
    package static let operatorPages = PageCookie("kith-operator", .strict, lifetime: OperatorSessionTable.lifetime)
}
