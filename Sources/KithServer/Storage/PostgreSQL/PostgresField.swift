import CPostgreSQL

/// A field of an error or of a warning. Swift does not import libpq's macros for them.
enum PostgresField: Unicode.Scalar {
    /// The severity, not translated: `PG_DIAG_SEVERITY_NONLOCALIZED`.
    case severity = "V"
    /// The SQLSTATE: `PG_DIAG_SQLSTATE`.
    case state = "C"
    /// The message: `PG_DIAG_MESSAGE_PRIMARY`.
    case message = "M"
    /// The violated constraint: `PG_DIAG_CONSTRAINT_NAME`.
    case constraint = "n"
    /// The function in PostgreSQL's source that reports it: `PG_DIAG_SOURCE_FUNCTION`.
    case function = "R"

    /// The field's text in an error or a warning; nil if it has none.
    func text(in result: OpaquePointer) -> String? {
        PQresultErrorField(result, Int32(rawValue.value)).map { String(cString: $0) }
    }
}
