import Foundation
import Kith
import KithAddressBook

let folder = URL(filePath: "contacts")
let book = try KithClient(KithConfiguration(storage: .directory(folder))).addressBook
try await book.addSource(.folder(folder.appending(path: "cards")))  // One vCard per file, as khard stores them.
for contact in try await book.loaded() { print(contact.displayName, contact.phones.first?.original ?? "") }
for contact in book.suggestions(for: "0664 12") { print(contact.displayName) }  // While the user types.
for await change in book.changes() {  // The current contacts, then each change of any source.
    print("\(change.added.count) new, \(change.modified.count) changed, \(change.removed.count) gone")
}
