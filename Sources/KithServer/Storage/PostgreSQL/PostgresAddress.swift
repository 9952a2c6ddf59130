import CPostgreSQL
import Foundation
import KithModel

/// Where a database is: a URL such as `postgres://kith@db.example/kith`, or libpq's `key=value` form.
struct PostgresAddress: Sendable {
    private let text: String

    /// - Throws: ``ServerError`` with the code `malformed` if libpq cannot read the address. The error does not contain
    ///   the address, which may have a password.
    init(_ text: String) throws(ServerError) {
        guard !DatabaseAddress.isURL(text) || DatabaseAddress.place(in: text) != nil else {
            throw ServerError(
                .malformed,
                "The URL of the PostgreSQL database has an @ too many. "
                    + "Within a user name, a password or an option, write @ as %40, / as %2F and ? as %3F."
            )
        }
        // Without a sign of either form, libpq would take the text as the name of a database.
        let isAddress = text.contains("=") || text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
        let options = PQconninfoParse(text, nil)
        PQconninfoFree(options)
        guard isAddress, options != nil else {
            throw ServerError(
                .malformed,
                "The address of the PostgreSQL database cannot be read. Write postgres://USER@HOST/DATABASE.")
        }
        self.text = text
    }

    /// Connects, and waits for it. libpq gives each host of the address the connecting time.
    ///
    /// - Returns: libpq's connection, open or failed; nil without memory.
    func connect(_ settings: PostgresSettings) -> OpaquePointer? {
        let time = max(2, settings.connectingTime.components.seconds)
        // The address can have other values of those before it, and not of those after it.
        let parameters: KeyValuePairs = [
            "application_name": "kith",
            "connect_timeout": String(time),
            // A lost host is noticed within a minute while nothing is sent, and sooner while something is.
            "keepalives": "1",
            "keepalives_idle": "20",
            "keepalives_interval": "10",
            "keepalives_count": "3",
            "tcp_user_timeout": String(Int64((settings.statementTime + settings.answerTime) / .milliseconds(1))),
            // Of several hosts, the primary.
            "target_session_attrs": "read-write",
            // The attempt would look for tickets of Kerberos each time.
            "gssencmode": "disable",
            "dbname": text,
            "client_encoding": "UTF8",
        ]
        let names = parameters.map { strdup($0.key) }
        let values = parameters.map { strdup($0.value) }
        defer { for string in names + values { free(string) } }
        return PQconnectdbParams(
            names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
    }
}
