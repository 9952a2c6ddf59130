/// A request to an issuer.
package struct IssuerRequest: Sendable {
    package let url: String
    /// The fields of a form to POST; nil for GET.
    package var form: FormFields?
    /// The value of the header `Authorization`.
    package var authorization: String?
}
