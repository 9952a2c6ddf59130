import Foundation
import Kith
import KithModel

let client = try KithClient(KithConfiguration(storage: .directory(URL(filePath: "groceries"))))
let groceries = try await client.lists.create("Groceries")

// Each call is one edit. It is stored on disk when the call returns.
let milk = try await client.lists.add("Oat milk", to: groceries.id, count: 2, category: "Chilled")
let tea = try await client.lists.add("Tea", to: groceries.id)
try await client.lists.update(milk.id) { $0.comment = "The barista one" }
try await client.lists.increase(milk.id, by: 1)
try await client.lists.move(tea.id, after: nil)

// A group of edits: on every device, either all of them or none take effect.
try await client.write { changes in
    try changes.setTicked(milk.id, true)
    try changes.add("Coffee", to: groceries.id)
}

// A removal can be undone. With `keepsLastRemoval`, the last removal can be undone even after a restart.
let removal = try await client.lists.removeTicked(in: groceries.id)
print("Removed: \(removal.itemCount)")
try await client.lists.undo(removal)

// The app's own stable identities: importing the same data twice adds it once.
let mine = UUID().uuidString  // An app makes it once, and stores it beside the old data.
let party = try await client.lists.create("Party", id: ListID(stable: "\(mine)/42", in: "old-app"))
try await client.lists.add("Apples", to: party.id, id: ItemID(stable: "42/7", in: "old-app"))

// Two devices may add the same item while they are offline. Only the user knows whether that was intended.
for duplicate in try await client.lists.duplicates(in: groceries.id) {
    print(duplicate.kept.title, "is there \(duplicate.others.count + 1) times")
    try await client.lists.merge(duplicate)
}

// Files: text, Markdown, CSV, iCalendar and JSON.
let document = try ListFormat.markdown.read(Data("# Party\n- [ ] 3 x Lemonade\n".utf8))
try await client.lists.add(document.items, to: groceries.id)

// For a screen: the current items, and again after each change by anyone.
for await items in client.lists.liveItems(in: groceries.id) {
    for item in items { print(item.isTicked ? "☑" : "☐", item.title, item.count) }
}
