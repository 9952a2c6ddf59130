import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "people"))))
Task { await client.run() }
try await client.network.updateProfile { $0.given = "Ada" }  // Stored here at once, then sent to all who may see it.

// Find the contacts who use the service. The server does not learn the other numbers.
try await client.addressBook.addSource(.vCardFile(URL(filePath: "contacts.vcf")))
try await client.discovery.connect(with: client.discovery.look().matches)  // Nobody is asked twice.

for await change in client.network.changes() {  // The current network, then each change with the changed fields.
    print(change.added.compactMap(\.fullName), change.updated.map { ($0.contact.fullName ?? "", $0.keys) })
}
