import Foundation
import KithModel

/// The proof that a form comes from a page that this server has made for the same browser.
///
/// A browser sends the cookie with any form for this server, so that another website could send one on somebody's behalf.
/// It cannot read the pages, so it does not know the proof: a keyed hash of the form's purpose, whose key is the value of
/// the cookie. A proof for one purpose does not fit another.
package struct FormProof: Hashable, Sendable {
    /// The name of the field.
    package static let name = "proof"

    /// The value of the field.
    package let text: String

    /// The proof of a form.
    ///
    /// - Parameters:
    ///   - purpose: What the form does: `close a session`.
    ///   - cookie: The value of the browser's cookie.
    package init(_ purpose: String, of cookie: String) {
        text = Secret.hmac("form\0\(purpose)", key: Data(cookie.utf8)).base64URL
    }

    /// Whether the field of a form has this value. The time does not depend on what is wrong.
    package func fits(_ form: FormFields) -> Bool {
        Secret.areEqual(Data(text.utf8), Data((form[Self.name] ?? "").utf8))
    }
}
