import Foundation
import KithCards

/// What vobject does otherwise than Kith, exactly enough to foretell it.
struct VObjectDifference: Sendable {
    let explanation: String
    /// Turns what Kith tells of a property into what vobject does.
    let foretell: @Sendable (_ told: inout VObject.Property, _ property: VCard.Property, _ card: VCard) -> Void

    private init(
        _ explanation: String,
        _ foretell: @escaping @Sendable (inout VObject.Property, VCard.Property, VCard) -> Void
    ) {
        (self.explanation, self.foretell) = (explanation, foretell)
    }

    /// All of them, in the order in which they are to be foretold.
    static let all = [
        VObjectDifference("A card within a card is to vobject a card of its own.") { told, property, _ in
            if property.name == "AGENT" { told.values = [""] }
        },
        VObjectDifference("vobject ends a text at its first comma, unless a backslash is before it.") {
            told, property, _ in
            guard told.values == [property.text], property.name != "ORG", property.name != "GEO" else { return }
            told.values = [property.list[0]]
        },
        VObjectDifference("vobject leaves out the empty text after a component's last comma.") { told, property, _ in
            guard told.values.count > 1, property.name != "CATEGORIES" else { return }
            told.values = told.values.map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 }
        },
        VObjectDifference("vobject keeps the backslash before a colon, which only Google writes.") {
            told, property, _ in
            guard property.writtenValue.contains(#"\:"#) else { return }
            told.values = told.values.map { $0.replacing(":", with: #"\:"#) }
        },
        VObjectDifference("vobject leaves the line ends of quoted-printable as they are.") { told, property, _ in
            guard property.writtenValue.contains("=0D=0A") else { return }
            told.values = told.values.map { $0.replacing("\n", with: "\r\n") }
        },
        VObjectDifference("vobject keeps control characters; a vertical tab is to Kith a line end, others nothing.") {
            told, property, _ in
            if property.writtenValue.contains("\u{0B}") {
                told.values = told.values.map { $0.replacing("\n", with: "\u{0B}") }
            }
            if property.writtenValue.hasSuffix("=0C") { told.values = told.values.map { $0 + "\u{0C}" } }
        },
        VObjectDifference("vobject takes several types in one pair of quotes for one type.") { told, property, _ in
            guard property.written.contains(/TYPE="[^"]*,/) else { return }
            told.parameters["TYPE"] =
                property.parameters["TYPE"].isEmpty
                ? nil : [property.parameters["TYPE"].joined(separator: ",")]
        },
        VObjectDifference("vobject does not know the carets of RFC 6868.") { told, property, _ in
            told.parameters["LABEL"] = told.parameters["LABEL"]?.map { $0.replacing("\n", with: "^n") }
        },
        VObjectDifference("vobject's caller picks one charset for a card, before folds within letters are undone.") {
            told, property, card in
            guard String(validating: card.bytes, as: UTF8.self) == nil else { return }
            guard let text = String(validating: property.rawValue, as: UTF8.self),
                !text.utf8.allSatisfy({ $0 < 0x80 })
            else { return }
            told.values = told.values.map { String(bytes: $0.utf8, encoding: .windowsCP1252) ?? $0 }
        },
    ]

    /// The cards of which vobject reads nothing, each by its file and which it is in it.
    static let unread: [String: [Int: String]] = [
        "AddressBook/android.vcf": [
            26: "It has no END. vobject refuses it.",
            78: "It has no END. vobject refuses it.",
        ],
        "AddressBook/khard.vcf": [
            44: "A fold parts the bytes of a letter. Before unfolding, the card is text in no charset."
        ],
        "John_Doe_ANDROID.vcf": [
            5: "The base64 of the photo has been cut off within a group of four.",
            6: "One line of quoted-printable is the second half of a letter.",
        ],
    ]
}

extension VCard.Property {
    fileprivate var writtenValue: String { String(decoding: rawValue, as: UTF8.self) }
    fileprivate var written: String { String(decoding: bytes, as: UTF8.self) }
}
