import Foundation
import KithCards

// A file of cards from any program: version 2.1, 3.0 or 4.0, in any charset, possibly damaged in places.
let file = URL(filePath: "contacts.vcf")
let (vCards, faults) = VCardReader.cards(in: try Data(contentsOf: file))
for fault in faults { print("Line \(fault.line): \(fault.sentence)") }

// The data of a card, independent of its version: the model of JSContact.
for vCard in vCards {
    let card = Card(vCard)
    print(card.name.full ?? "", card.phones.map(\.number), card.emails.map(\.address))
}

// An edit changes only the bytes of the properties that it touches.
if var vCard = vCards.first {
    var card = Card(vCard)
    card.notes.append(Card.Note(id: "met", note: "Met in Vienna."))
    vCard.apply(card)
    print(String(decoding: vCard.bytes, as: UTF8.self))

    // Convert a card to JSON and back. Properties without a JSContact equivalent are preserved.
    let json = try JSONEncoder().encode(JSContact(vCard))
    let back = VCard(try JSONDecoder().decode(JSContact.self, from: json), version: .v3_0)
    print(String(decoding: back.bytes, as: UTF8.self))
}

// Raw properties, for data that the model has no field for.
var vCard = VCard(version: .v4_0)
vCard.append("FN", .text("Ada Lovelace"))
vCard.append("X-LOCKER", .text("12"))
for property in vCard.properties { print(property.name, property.text) }

// Read a large file in pieces: the reader accepts bytes as they arrive.
var reader = VCardReader()
let handle = try FileHandle(forReadingFrom: file)
while let piece = try handle.read(upToCount: 65_536), !piece.isEmpty {
    reader.feed(piece) { element in if case .card(let card) = element { print(Card(card).name.full ?? "") } }
}
reader.finish { element in if case .fault(let fault) = element { print(fault.sentence) } }
