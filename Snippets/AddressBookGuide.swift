import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel

var configuration = KithConfiguration(storage: .directory(URL(filePath: "contacts")))
configuration.region = Region("AT")  // For numbers such as “0664 12”. The user can choose another region.
let client = try KithClient(configuration)
let book = client.addressBook

// Sources are stored, and opened again at each start.
guard let server = URL(string: "https://dav.example.com") else { exit(1) }
let account = try await book.addSource(.cardDAV(server, user: "ada"), name: "Work", password: "…")

// A source that cannot be read does not affect the others. Its earlier contacts are still shown.
_ = try await book.loaded()
for source in book.sources {
    if let error = source.error { print("\(source.name): \(error.sentence) [\(error.code)]") }
    for fault in source.faults { print("\(source.name), line \(fault.line): \(fault.sentence)") }
}

// Find contacts by number or email in any spelling, by any of their text, or by the sound of their name.
let ada = book.contact(withPhone: "0664 5550101", family: "Lovelace")
let found = book.search("lovlace london", limit: 20)

if let ada {
    if let photo = try await book.photo(of: ada) { print(photo.bytes.count, photo.mediaType ?? "") }
    // The user's decision overrides the automatic links, and is stored.
    if let other = found.first(where: { $0.id != ada.id }) { try await book.link([ada.id, other.id]) }

    // Write an edit back to the card's file, folder or account. No other byte changes.
    let original = try await book.vCard(of: ada.cards[0])
    var (edited, card) = (original, Card(original))
    card.notes.append(Card.Note(id: "NOTE-1", note: "Met in Vienna."))
    edited.apply(card)
    let saved = try await book.save(edited, editedFrom: original, of: ada.cards[0])
    if !saved.isSent { print("It is sent when the server can be reached.") }
}

// Add a new card. It is in the account and shown when this returns.
var bob = Card()
bob.name.full = "Bob Ross"
bob.phones = [Card.Phone(id: "1", number: "+43 664 5550102")]
_ = try await book.add([VCard(bob)], to: account)
