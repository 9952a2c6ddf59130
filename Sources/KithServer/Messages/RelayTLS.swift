import CCurl

/// Whether a connection to a relay that begins with `smtp:` becomes encrypted (RFC 3207). `smtps:` always is.
public enum RelayTLS: String, CaseIterable, Sendable {
    /// Nothing is sent without STARTTLS and a trusted certificate.
    case required
    /// The connection is encrypted if the relay offers STARTTLS.
    case allowed
    /// The connection is not encrypted: for a relay on this machine.
    case none

    /// The level in the form of libcurl.
    var level: CCurlTLS {
        switch self {
        case .none: CCurlNoTLS
        case .allowed: CCurlTLSAllowed
        case .required: CCurlTLSRequired
        }
    }
}
