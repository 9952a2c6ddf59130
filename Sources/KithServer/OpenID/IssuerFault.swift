/// The error that an answer of an issuer is not accepted, or did not arrive.
package struct IssuerFault: Error, Hashable {
    /// What is wrong, to complete the sentence “The answer of the issuer was refused: …”.
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
