import Foundation
import Kith
import KithModel

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "groceries"))))
Task { await client.run() }  // Syncs for as long as the app runs.

// Edits and live queries work offline.
let groceries = try await client.lists.create("Groceries")
let milk = try await client.lists.add("Oat milk", to: groceries.id, count: 2)
try await client.lists.setTicked(milk.id, true)

// Only the server can create a link. `whenReady` waits for it; without `whenReady`, the call throws `offline`.
// An error that leaves a `Task` is lost. An app catches it inside.
Task {
    let link = try await client.session.whenReady { try await client.lists.invite(to: groceries.id, as: .editor) }
    print("Shop together:", link.url ?? "")
}

for await items in client.lists.liveItems(in: groceries.id) {  // The current items, and again after each change.
    print(items.map { $0.isTicked ? "☑ \($0.title)" : "☐ \($0.title)" })
}
