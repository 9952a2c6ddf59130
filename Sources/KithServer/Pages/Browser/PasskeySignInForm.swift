import Foundation
package import KithModel

/// The form that the script of the page has filled in after a passkey was used.
package struct PasskeySignInForm: Hashable, Sendable {
    /// The largest form, in bytes: the id of a passkey can have a kibibyte.
    package static let limit = 8 << 10

    /// The ceremony that the script has begun.
    package let ceremony: CeremonyID
    /// What the browser has signed.
    package let assertion: PasskeyAssertion
    /// The code of the person whose link has led here, and its channel; nil if there is none.
    package let share: ShareLink?

    /// Reads a form; nil if a field is missing or cannot be read.
    package init?(_ fields: FormFields) {
        guard let ceremony = fields["ceremony"].flatMap({ CeremonyID($0) }), let json = fields["assertion"],
            let assertion = try? JSONBody.decode(PasskeyAssertion.self, from: Data(json.utf8))
        else { return nil }
        (self.ceremony, self.assertion) = (ceremony, assertion)
        share = ShareLink(fields)
    }
}
