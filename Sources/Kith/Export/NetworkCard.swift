import Foundation
package import KithModel

/// A person of the network as a vCard of version 4.0 (RFC 6350): what they show, as far as this device knows it.
///
/// `Kith` does not depend on `KithCards`. A card that is only written, from known fields, needs no more than the content
/// lines that iCalendar has, too.
package struct NetworkCard {
    /// The card, with CR and LF at the end of each line.
    package let text: String

    /// The card of a person. `details` is everything that they show; nil if the device has no details.
    package init(_ person: NetworkContact, _ details: Profile?) {
        var lines = FoldedLines()
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { lines.add(name, text: value) }
        }
        lines.add("BEGIN", "VCARD")
        lines.add("VERSION", "4.0")
        lines.add("UID", "urn:uuid:\(person.id)")
        add("FN", person.fullName ?? person.id.description)
        let name = [person.family, person.given, nil, person.title, nil].map { FoldedLines.escaped($0 ?? "") }
        if name.contains(where: { !$0.isEmpty }) { lines.add("N", name.joined(separator: ";")) }
        let summary = person.profile
        let details = details ?? Profile()
        for field in Profile.allFields {
            guard let property = field.vCardProperty else { continue }
            switch field.content {
            case .text(let path, _): add(property, (field.isInSummary ? summary : details)[keyPath: path])
            case .entries(let path, _):
                for entry in details[keyPath: path] {
                    let typed = property + Self.type(of: entry)
                    if field.form == .webSite {
                        lines.add(typed, Self.uri(entry.value))
                    } else {
                        add(typed, entry.value)
                    }
                }
            case .addresses:
                for address in details.addresses {
                    lines.add("\(property);LABEL=\(Self.quoted(address.text))", ";;;;;;")
                }
            case .picture: break
            }
        }
        lines.add("END", "VCARD")
        text = lines.text
    }

    /// The parameter TYPE of an entry; empty if its type is no word that a parameter can have.
    private static func type(of entry: Profile.Entry) -> String {
        let words = [entry.type, entry.label].compactMap(\.self)
        let word = words.first { !$0.isEmpty && $0.unicodeScalars.allSatisfy(\.isNamePart) }
        return word.map { ";TYPE=\($0)" } ?? ""
    }

    /// A URI, in which a line break cannot be escaped.
    private static func uri(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }

    /// A parameter value in quotes, encoded as in RFC 6868.
    private static func quoted(_ text: String) -> String {
        var value = ""
        for character in text {
            switch character {
            case "^": value += "^^"
            case "\"": value += "^'"
            case _ where character.isNewline: value += "^n"
            default: value += uri(String(character))
            }
        }
        return "\"\(value)\""
    }
}
