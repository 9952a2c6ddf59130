import Foundation
import Kith
import KithAddressBook
import KithDiscovery

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "people"))))
Task { await client.run() }
try await client.network.updateProfile { $0.given = "Ada" }  // Kept here at once; reaches everyone who has me.

// Who of the address book is here? The server does not learn the numbers of those who are not.
try await client.addressBook.addSource(.vCardFile(URL(filePath: "contacts.vcf")))
try await client.discovery.connect(with: client.discovery.lookAgain().matches)  // Each once, whatever runs again.

for await change in client.network.changes() {  // My network now; then each difference, with what changed.
    print(change.added.compactMap(\.fullName), change.updated.map { ($0.contact.fullName ?? "", $0.keys) })
}
