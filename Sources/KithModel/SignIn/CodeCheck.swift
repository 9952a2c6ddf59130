/// A code as the user typed it: `POST /v1/codes/{code}/check`.
package struct CodeCheck: Hashable, Sendable, Codable {
    /// Six digits.
    package var code: String

    package init(code: String) { self.code = code }
}
