import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "people"))))
let (book, discovery) = (client.addressBook, client.discovery)

do {
    let summary = try await discovery.look { print("\($0.done) of \($0.total)") }
    print("New on the service: \(summary.added.count); left of the day: \(summary.quota.left)")
} catch let error as KithError where error.code == .quotaExceeded {
    print(error.sentence)  // Names the time when the next day begins. The matches so far are stored.
}

// The contacts show the stored matches, also offline. A new match is reported as a change of its contact.
for contact in try await book.loaded() where contact.isOnService {
    print(contact.displayName, contact.accounts)
}

// Connect with one person, or with everyone found. People who were already asked or are blocked are skipped.
let matches = try await discovery.matches()
if let match = matches.first { try await client.network.connect(match.account) }
try await discovery.connect(with: matches)

// Or automatically: `run()` looks once a day and for new contacts, and connects with everyone found. Both are stored.
try await discovery.setEnabled(true)
try await discovery.setConnectsAutomatically(true)

// Look for a number outside the address book, and hide the user's own numbers and emails.
let found = try await discovery.look(for: ["+43 664 5550101"])
print(found.map(\.account))
try await client.network.updateProfile { $0.isDiscoverable = false }
