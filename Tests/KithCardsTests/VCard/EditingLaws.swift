import Foundation
import KithCards

/// What holds for any edit of any card. The tests and the fuzzer judge by it.
enum EditingLaws {
    /// Edits a card as `dice` like; returns the law that this breaks, and nil if all hold.
    static func broken(byEditing card: inout VCard, with dice: inout CardDice) -> String? {
        // An edit gives a card its END, and the END of each card within it. ``VCardLaws`` judge that these are all.
        let before = card.closed
        let index = Int.random(in: 0...before.properties.count, using: &dice.random)
        let edited = index < before.properties.count ? Array(before.properties[index].bytes) : []
        let value = value(&dice)
        var isWritten = true
        var isInsertion = false
        var otherIndex: Int? = index
        switch Int.random(in: 0..<4, using: &dice.random) {
        case 0 where !edited.isEmpty:
            card.setParameters(parameters(&dice), at: index)
            isWritten = false
        case 1 where !edited.isEmpty:
            card.remove(at: index)
            (isWritten, otherIndex) = (false, nil)
        case 2 where !edited.isEmpty: card.setValue(value, at: index)
        default:
            let name = dice.pick(["NOTE", "X-A", "AGENT", "END"])
            card.insert(name, value, parameters: parameters(&dice), group: "g", at: index)
            isInsertion = true
        }
        guard isPatch(before.bytes, card.bytes, of: isInsertion ? [] : edited) || isRecoded(before, card) else {
            return "Every byte but those of the edited property stays:\n\(before)\nbecame\n\(card)"
        }
        let (old, new) = (others(before, but: isInsertion ? nil : index), others(card, but: otherIndex))
        guard card.version != before.version || old == new else {
            let first = zip(old, new).first { $0 != $1 }
            return "Every property but the edited one says what it said: \(first ?? ("\(old.count)", "\(new.count)"))"
        }
        guard let again = try? VCard(card.bytes), again == card, again.content == card.content, again == again.closed
        else {
            return "What was edited is written and read as equal, with its END."
        }
        guard isWritten, card.version == before.version, !reads(card.properties[index], value) else { return nil }
        return "What was written is read: \(value) became \(card.properties[index].components) in\n\(card)"
    }

    /// Whether `old` and `new` differ in one place alone, where `edited` stands in `old`.
    private static func isPatch(_ old: [UInt8], _ new: [UInt8], of edited: [UInt8]) -> Bool {
        let start = zip(old, new).prefix { $0 == $1 }.count
        let rest = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
        let end = old.count - rest
        guard start < end else { return true }
        let first = max(0, end - edited.count)
        return first <= start && (first...start).contains { old[$0...].starts(with: edited) }
    }

    /// Whether a card that was not all in UTF-8 is so now: what was to be written could not be in its charset, or what
    /// was taken out told that.
    private static func isRecoded(_ old: VCard, _ new: VCard) -> Bool {
        old.undeclaredText.flaws > 0 && new.charset == .utf8 && new.undeclaredText.flaws == 0
    }

    /// What the properties say but one, and but for cards within the card, which have a charset of their own.
    private static func others(_ card: VCard, but index: Int?) -> [String] {
        card.properties.indices.filter { $0 != index }.map { index in
            let property = card.properties[index]
            let isCard = String(decoding: property.rawValue, as: UTF8.self).uppercased().contains("VCARD")
            // One called END or BEGIN that loses its parameter is given another name, so that it ends no card.
            let name = ["X-END": "END", "X-BEGIN": "BEGIN"][property.name] ?? property.name
            return "\(property.group ?? "-").\(name) \(isCard ? "" : property.text)"
        }
    }

    private static func value(_ dice: inout CardDice) -> VCard.Value {
        switch Int.random(in: 0..<6, using: &dice.random) {
        case 0: .text(dice.text())
        case 5: .card(card(&dice))
        case 1: .list([dice.text(), dice.text()])
        case 2: .components([[dice.text()], [dice.text(), dice.text()], []])
        case 3: .plain(dice.text())
        default:
            .data(
                (0..<Int.random(in: 0...200, using: &dice.random)).map { UInt8($0) }, mediaType: "image/\(dice.text())")
        }
    }

    /// A card to be written within another one, which may have one within it already.
    private static func card(_ dice: inout CardDice) -> VCard {
        var card = VCard(version: dice.pick(VCard.Version.allCases))
        card.append("NOTE", .text(dice.text()))
        if dice.chance(2) { card.append("AGENT", .card(VCard(version: dice.pick(VCard.Version.allCases)))) }
        return card
    }

    private static func parameters(_ dice: inout CardDice) -> VCard.Parameters {
        [
            "TYPE": [dice.pick(["home", "URL", dice.text()])],
            dice.pick(["LABEL", "ENCODING", "X-\(dice.text())"]): [dice.text()],
        ]
    }

    private static func reads(_ property: VCard.Property, _ value: VCard.Value) -> Bool {
        let isOld = property.version == .v2_1
        switch value {
        case .text(let text): return property.text == cleaned(text)
        case .list(let texts): return property.list == texts.map(cleaned)
        case .components(let components):
            let expected = components.map { $0.isEmpty ? [""] : $0.map(cleaned) }
            return property.components == (isOld ? expected.map { [$0.joined(separator: ",")] } : expected)
        case .plain(let text):
            let plain = cleaned(text).filter { $0 != "\n" }
            let isASCII = plain.utf8.allSatisfy { $0 < 0x80 }
            if isOld, !isASCII { return true }
            if String(bytes: property.rawValue, encoding: .windowsCP1252) == plain { return true }
            return Array(property.rawValue) == Array(plain.utf8)
        case .data(let bytes, _): return property.data == bytes
        case .card(let card):
            let said = property.card?.properties.map { "\($0.name) \($0.card == nil ? $0.text : "")" }
            return said == card.properties.map { "\($0.name) \($0.card == nil ? $0.text : "")" }
        }
    }

    /// A text as a card can hold it.
    private static func cleaned(_ text: String) -> String {
        let scalars = text.replacing("\r\n", with: "\n").unicodeScalars
        return String(
            String.UnicodeScalarView(scalars.filter { $0 == "\n" || $0 == "\t" || $0 >= " " && $0 != "\u{7F}" }))
    }
}
