import Foundation
import Kith
import KithModel

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "groceries"))))
let running = Task { await client.run() }

// An edit returns at once. `caughtUp` waits until the server has it, however long the device is offline.
let groceries = try await client.lists.create("Groceries")
try await client.caughtUp()

// “Pull to refresh” syncs now, and throws instead of waiting.
do {
    try await client.syncNow()
} catch KithError.Code.offline {
    print("No network. Your edits are stored and will be sent later.")
} catch let error as KithError {
    print(error.sentence, error.retryAfter.map { "Try again in \($0)." } ?? "")
}

// Refused edits are kept until the app dismisses them.
for rejection in try await client.rejections() {
    print(rejection.listName ?? "", rejection.title ?? "", rejection.sentence)
    print("Lost: \(rejection.values)")
    try await client.dismiss(rejection.id)
}

// A status line below a list: “Synced”, “3 edits wait”, “No network”.
for await status in client.liveStatus() {
    if let error = status.lastError { print(error.sentence) }
    print(status.waiting == 0 && status.hasSynced ? "Synced" : "\(status.waiting) edits wait")
}
