/// A fault of what an issuer has sent.
package struct IssuerFault: Error, Hashable {
    /// What is wrong, to complete the sentence “The answer of the issuer was refused: …”.
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
