import Foundation
import Kith
import KithModel

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "groceries"))))
Task { await client.run() }

// Only the owner can create links. The answer is the only place with the secret; the server stores a hash of it.
let groceries = try await client.lists.create("Groceries")
let invitation = try await client.lists.invite(to: groceries.id, as: .editor, expiresIn: .days(2))
let page = try await client.lists.publish(groceries.id)
print("Shop together:", invitation.url ?? "", "Only read:", page.url ?? "")

// A person who receives a link sees a preview, and joins. The system opens the app with the link.
if let opened = CommandLine.arguments.dropFirst().first, let url = URL(string: opened), let link = KithLink(url) {
    let offer = try await client.lists.preview(link: link.text)
    print("“\(offer.name)” with \(offer.members) people, as \(offer.role)")
    let joined = try await client.lists.accept(link: link.text)
    try await client.lists.setMyName("Ben", in: joined.id)
}

// The people in the list and their roles.
let myself = try await client.session.account()
for member in try await client.lists.members(of: groceries.id) where member.id != myself {
    print(member.calledName ?? "Somebody", member.role)
    try await client.lists.setRole(.viewer, of: member.id, in: groceries.id)
}

// People who have joined with a link stay when it is revoked.
for link in try await client.lists.links(of: groceries.id) where link.accepted > 0 {
    try await client.lists.revoke(link.id, of: groceries.id)
}
