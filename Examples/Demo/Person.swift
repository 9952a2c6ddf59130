import Foundation
import Kith
import KithAddressBook
import KithModel

/// A person of one of the acts after the second one, with a device and an account.
struct Person: Sendable {
    let name: String
    let client: KithClient
    let account: AccountID

    var network: Network { client.network }

    /// Creates a device with a new account and a profile.
    init(_ name: String, _ family: String, at server: URL, in folder: URL) async throws {
        self.name = name
        var configuration = KithConfiguration(server: server, storage: .directory(folder))
        configuration.region = Region("AT")
        client = try KithClient(configuration)
        account = try await client.session.open().account
        try await client.network.updateProfile { ($0.given, $0.family) = (name, family) }
        try await client.syncNow()
    }

    /// Waits until the person's contact record of somebody satisfies `holds`.
    func waits(
        for other: Person, _ what: String, until holds: @escaping @Sendable (NetworkContact) -> Bool
    ) async throws {
        try await wait(for: "\(name) \(what)", in: network.live(.everyone)) { contacts in
            contacts.contains { $0.id == other.account && holds($0) }
        }
    }
}
