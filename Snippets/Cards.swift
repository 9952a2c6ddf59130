import Foundation
import KithCards

// A file of cards as programs write them: version 2.1, 3.0 or 4.0, in any charset, damaged here and there.
let file = URL(filePath: "contacts.vcf")
let (vCards, faults) = VCardReader.cards(in: try Data(contentsOf: file))
for fault in faults { print("Line \(fault.line): \(fault.sentence)") }

// What a card says, whichever version says it: the model of JSContact.
for vCard in vCards {
    let card = Card(vCard)
    print(card.name.full ?? "", card.phones.map(\.number), card.emails.map(\.address))
}

// An edit changes only the bytes of what it touches.
if var vCard = vCards.first {
    var card = Card(vCard)
    card.notes.append(Card.Note(id: "met", note: "Met in Vienna."))
    vCard.apply(card)
    print(String(decoding: vCard.bytes, as: UTF8.self))

    // The same card for a program that reads JSON, and back. What JSContact has no word for is carried along.
    let json = try JSONEncoder().encode(JSContact(vCard))
    let back = VCard(try JSONDecoder().decode(JSContact.self, from: json), version: .v3_0)
    print(String(decoding: back.bytes, as: UTF8.self))
}

// Properties as they stand, for what the model has no field for.
var vCard = VCard(version: .v4_0)
vCard.append("FN", .text("Ada Lovelace"))
vCard.append("X-LOCKER", .text("12"))
for property in vCard.properties { print(property.name, property.text) }

// A long file a piece at a time: a reader takes bytes as they come.
var reader = VCardReader()
let handle = try FileHandle(forReadingFrom: file)
while let piece = try handle.read(upToCount: 65_536), !piece.isEmpty {
    reader.feed(piece) { element in if case .card(let card) = element { print(Card(card).name.full ?? "") } }
}
reader.finish { element in if case .fault(let fault) = element { print(fault.sentence) } }
