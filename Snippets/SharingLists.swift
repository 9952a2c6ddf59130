import Foundation
import Kith
import KithModel

let server = URL(string: "https://kith.example.com")
let client = try KithClient(KithConfiguration(server: server, storage: .directory(URL(filePath: "groceries"))))
Task { await client.run() }

// The owner makes links. The secret is in the answer only; the server keeps a hash of it.
let groceries = try await client.lists.create("Groceries")
let invitation = try await client.lists.invite(to: groceries.id, as: .editor, expiresIn: .days(2))
let page = try await client.lists.publish(groceries.id)
print("Shop together:", invitation.url ?? "", "Only read:", page.url ?? "")

// Whoever receives a link sees what it offers, and joins.
if let link = CommandLine.arguments.dropFirst().first {
    let offer = try await client.lists.preview(link)
    print("“\(offer.name)” with \(offer.members) people, as \(offer.role)")
    let joined = try await client.lists.accept(link)
    try await client.lists.setMyName("Ben", in: joined.id)
}

// Who is in it, and what each may do.
let myself = try await client.session.account()
for member in try await client.lists.members(of: groceries.id) where member.id != myself {
    print(member.calledName ?? "Somebody", member.role)
    try await client.lists.setRole(.viewer, of: member.id, in: groceries.id)
}

// People who have joined with a link stay when it is revoked.
for link in try await client.lists.links(of: groceries.id) where link.accepted > 0 {
    try await client.lists.revoke(link.id, of: groceries.id)
}
