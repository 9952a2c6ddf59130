import Foundation
import Kith
import KithAddressBook

let folder = URL(filePath: "contacts")
let book = try KithClient(KithConfiguration(storage: .directory(folder))).addressBook
try await book.addSource(.folder(folder.appending(path: "cards")))  // One vCard a file, as khard keeps them.
for contact in try await book.loaded() { print(contact.displayName, contact.phones.first?.original ?? "") }
for contact in book.suggestions(for: "0664 12") { print(contact.displayName) }  // While somebody types.
for await change in book.changes() {  // The contacts now; then each difference as it comes, from whichever source.
    print("\(change.added.count) new, \(change.modified.count) changed, \(change.removed.count) gone")
}
