import Foundation
package import GRDB
package import Kith

extension SourceLocation {
    /// The source at this location.
    ///
    /// - Parameters:
    ///   - id: The id of the source. Its cards and its password are stored under it.
    ///   - database: The database for the cards of an account. It has the tables of ``AddressBookSchema``.
    ///   - credentials: The store of its password.
    ///   - schedule: How often an account is polled.
    ///   - isOffline: Whether to read accounts only from their cache on the device.
    ///   - clock: The clock for polling.
    /// - Returns: A source that has read nothing yet.
    /// - Throws: ``KithError``: `invalid` if the address is not a server's, `refused` if the password would be sent
    ///   unencrypted, `unauthorized` if there is no password.
    package func open(
        id: String, database: any DatabaseWriter, credentials: any CredentialStore, schedule: PollingSchedule,
        isOffline: Bool = false, clock: any Clock<Duration> = ContinuousClock()
    ) throws -> any AddressBookSource {
        switch self {
        case .vCardFile(let url): return VCardFileSource(url)
        case .folder(let url): return VCardFolderSource(url)
        case .cardDAV(let url, let user, let withoutTLS):
            try check(PasswordTrust(address: url, withoutTLS: withoutTLS))
            guard let password = try credentials.secret(for: .source(id)) else {
                throw KithError(
                    .unauthorized, "There is no password for “\(user)” at \(url.absoluteString). Add the account again."
                )
            }
            return CardDAVSource(
                at: url, user: user, password: password, withoutTLS: withoutTLS, id: id, database: database,
                transport: SystemDAVTransport(), clock: clock, schedule: schedule, isOffline: isOffline)
        case .device:
            #if canImport(Contacts)
                return DeviceSource()
            #else
                throw KithError(
                    .invalid, "This system has no address book of its own. Add a file, a folder or an account.")
            #endif
        }
    }

    /// Removes the stored data of the source: its cards and its password.
    package static func forget(
        id: String, database: any DatabaseWriter, credentials: any CredentialStore
    ) async throws {
        try await CardCache(database: BookDatabase(writer: database), source: id).forget()
        try credentials.delete(.source(id))
    }

    /// - Throws: ``KithError``: `invalid` if the address is not a server's, `refused` if the password may not go there.
    private func check(_ trust: PasswordTrust) throws {
        let address = trust.address.absoluteString
        switch trust.refusal {
        case nil, .otherHost, .otherPort: return
        case .noAddress:
            throw KithError(.invalid, "“\(address)” is no address of a server, such as https://dav.example.com.")
        case .signedIn:
            // It would be stored unencrypted, as part of the address.
            throw KithError(.invalid, "Give the name and the password by themselves, not within the address.")
        case .unencrypted:
            throw KithError(
                .refused,
                "\(address) is not encrypted, and everyone on the way could read the password. Use https, or say that "
                    + "the account is to be read without TLS.")
        }
    }
}
