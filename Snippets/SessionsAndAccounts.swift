import Foundation
import Kith

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "groceries"))))

if let scanned = CommandLine.arguments.dropFirst().first {
    // On the second device. What was made here before stays in a store of its own, until somebody moves it.
    let activation = try await client.session.activate(token: scanned)
    for store in activation.hidden.stores {
        print("Moving \(store.lists) lists, of which \(store.waiting) edits were never sent.")
        try await client.lists.moveLists(from: store.scope, to: .account(activation.account))
    }
} else {
    // On the first device. The token is all that is needed to act for this account: show it as a QR code, once.
    try await client.syncNow()
    print(try await client.session.token() ?? "")
}

// Other accounts on this device, and what they have not sent yet.
for store in try await client.accounts.all() where !store.isCurrent {
    print(store.name ?? "Nobody", store.lists, store.waiting)
}
