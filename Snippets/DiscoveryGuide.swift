import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "people"))))
let (book, discovery) = (client.addressBook, client.discovery)

do {
    let summary = try await discovery.lookAgain { print("\($0.done) of \($0.total)") }
    print("New on the service: \(summary.added.count); left of the day: \(summary.quota.left)")
} catch let error as KithError where error.code == .quotaExceeded {
    print(error.sentence)  // With the time of the next look-ups. What was found until then is kept.
}

// What is known shows on the address book's rows, offline too; a change of it is told as one of the contact.
for contact in try await book.loaded() where contact.isOnService {
    print(contact.displayName, contact.accounts)
}

// By the user's choice: one, or all who are found. Who was asked already, or is blocked, is left alone.
let matches = try await discovery.matches()
if let match = matches.first { try await client.network.connect(match.account) }
try await discovery.connect(with: matches)

// Or by settings, which are kept: `run()` looks once a day and for new contacts, and connects with whoever is found.
try await discovery.setEnabled(true)
try await discovery.setConnectsAutomatically(true)

// A number that is in no address book; and not to be found by one's own.
let found = try await discovery.look(for: ["+43 664 5550101"])
print(found.map(\.account))
try await client.network.updateProfile { $0.isDiscoverable = false }
