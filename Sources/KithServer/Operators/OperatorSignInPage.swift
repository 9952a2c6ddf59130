package import HTTPTypes

/// The page on which an operator signs in with a name and a password.
package enum OperatorSignInPage {
    /// The page with the form.
    ///
    /// - Parameters:
    ///   - name: The name that was entered before.
    ///   - error: What is wrong, if anything.
    ///   - status: The status of the answer.
    /// - Returns: The page.
    package static func form(
        name: String = "", error: PageValue? = nil, status: HTTPResponse.Status = .ok
    ) -> Page {
        var values: [String: PageValue] = [
            "heading": .phrase("operator.heading"), "form": .flag(true), "name": .text(name),
        ]
        values["error"] = error
        return Page(.operator, status, title: .phrase("operator.heading"), values)
    }

    /// The page of a server without an operator: the command that adds one.
    package static let withoutOperator = Page(
        .operator, title: .phrase("operator.none"),
        ["heading": .phrase("operator.none"), "command": .text("kith admin operator add NAME")])
}
