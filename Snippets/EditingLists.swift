import Foundation
import Kith
import KithModel

let client = try KithClient(KithConfiguration(storage: .directory(URL(filePath: "groceries"))))
let groceries = try await client.lists.create("Groceries")

// Each call is one edit. It is on the disk when the call returns.
let milk = try await client.lists.add("Oat milk", to: groceries.id, count: 2, category: "Chilled")
let tea = try await client.lists.add("Tea", to: groceries.id)
try await client.lists.update(milk.id) { $0.comment = "The barista one" }
try await client.lists.increase(milk.id, by: 1)
try await client.lists.move(tea.id, after: nil)

// Several edits that belong together: all of them or none take effect, on every device.
try await client.write { changes in
    try changes.setTicked(milk.id, true)
    try changes.add("Coffee", to: groceries.id)
}

// A removal can be undone. So can the last one of all, after a restart, if `keepsLastRemoval` is set.
let removal = try await client.lists.removeTicked(in: groceries.id)
print("Removed: \(removal.itemCount)")
try await client.lists.undo(removal)

// An identity of the app's own: a second import adds nothing.
let apples = ItemID(stable: "old-app/42", in: "groceries")
try await client.lists.add("Apples", to: groceries.id, id: apples)

// Two devices have added the same item while they were offline. Only the user can know whether that was meant.
for duplicate in try await client.lists.duplicates(in: groceries.id) {
    print(duplicate.kept.title, "is there \(duplicate.others.count + 1) times")
    try await client.lists.merge(duplicate)
}

// Files: text, Markdown, CSV, iCalendar and JSON.
let document = try ListFormat.markdown.read(Data("# Party\n- [ ] 3 x Lemonade\n".utf8))
try await client.lists.add(document.items, to: groceries.id)

// What a screen shows: the items now, and after each change, whoever made it.
for await items in client.lists.liveItems(in: groceries.id) {
    for item in items { print(item.isTicked ? "☑" : "☐", item.title, item.count) }
}
