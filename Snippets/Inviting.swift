import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "inviting"))))
Task { await client.run() }
let groceries = try await client.lists.create("Groceries")

// Contacts who are not on the service, with an email address or a mobile number.
for candidate in try await client.discovery.candidates().prefix(1) {
    let text = try await client.invitations.proposedText(for: .list(groceries.id, .editor))  // The user edits it.
    try await client.invitations.invite(
        candidate, at: candidate.recipients[0], to: .list(groceries.id, .editor), text: text)
}

for await change in client.invitations.changes() {  // The current invitations, then each step of each.
    for one in change.added + change.modified { print(one.shownName, one.status) }
}
