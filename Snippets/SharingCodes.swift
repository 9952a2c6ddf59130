import Foundation
import Kith
import KithModel

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "sharing"))))
Task { await client.run() }

// The user's link. It is made at its first use, also offline and before the user has an account.
let mine = try await client.sharing.shareable(in: "friends")
let sheet = try await client.sharing.compose(mine.id, by: .sheet)
print(sheet.text, "or tell them the code:", mine.code)
try await client.sharing.share(mine.id, by: .sheet)  // Only after the user has completed the sheet.

// A friend opens the link, or types the code. It counts when the friend signs up.
try await client.sharing.use(code: "https://kith.example.com/s/ADA-TEA")

for await changes in client.sharing.changes() {  // What there is, then each change.
    for referral in changes.referrals.added { print(referral.friendName ?? "Somebody", "has joined") }
    for reward in changes.rewards.added { print("Earned:", reward.title ?? reward.name) }
}
