/// Backslashes that programs forget, without which some readers and servers cut a value.
extension VCard {
    /// The card with the missing backslashes before semicolons in names and addresses, where a reader that does not join
    /// the text finds too many components, and before commas in texts, where it finds several texts. Everything else
    /// stays as written, and so does every property that is in `original` too.
    package func withEscapedTexts(besides original: VCard? = nil) -> VCard {
        let old = original.map { Set($0.properties.map { WrittenLine($0) }) }
        return replacing { property in
            if let old, old.contains(WrittenLine(property)) { return [] }
            let value: Value? =
                switch property.knownName {
                case .n: NameLayout.joined(property).map { Value.components($0) }
                case .adr: AddressLayout.joined(property).map { Value.components($0) }
                default: property.isOneText ? property.valueWithEscapedCommas : nil
                }
            return value.map { [$0] } ?? []
        }
    }

    /// The card for a server that keeps of each value what is before its first bare comma, as Radicale does: with a
    /// backslash before the commas of addresses and of embedded data too, and a property for each nickname.
    ///
    /// The standard has no backslash in a URI, but readers ignore it. Names, postal addresses and categories stay as
    /// written, because such a server knows their commas.
    package var withoutBareCommas: VCard {
        replacing { property in
            guard property.knownName == .nickname else {
                return property.valueWithEscapedCommas.map { [$0] } ?? []
            }
            return property.list.count > 1 ? property.list.map { Value.text($0) } : []
        }
    }

    /// Whether this is `whole` after a server has cut a value at a comma.
    package func isCut(from whole: VCard) -> Bool {
        let texts = Dictionary(grouping: properties) { $0.name }.mapValues { Set($0.map(\.text)) }
        return whole.properties.contains { property in
            guard property.valueWithEscapedCommas != nil, let texts = texts[property.name],
                case let text = property.text, !texts.contains(text)
            else { return false }
            return texts.contains { text.hasPrefix($0 + ",") }
        }
    }

    /// The card with other values in place of some. A property with several new values becomes several properties.
    private func replacing(_ newValues: (Property) -> [Value]) -> VCard {
        var card = self
        card.edit { card in
            card.properties.enumerated().flatMap { index, property -> [Patch] in
                let values = newValues(property)
                guard let first = values.first else { return [] }
                let others = values.dropFirst().map { value in
                    let new = NewProperty(property.writtenName, value, property.parameters, group: property.group)
                    return card.patch(adding: new, before: index + 1)
                }
                return [card.patch(changing: index, Change(value: first))] + others
            }
        }
        return card
    }
}

extension VCard.Property {
    /// Whether the value is one text, as the standard or the program that invented the property defines it.
    fileprivate var isOneText: Bool {
        let type = parameters["VALUE"].first?.lowercased() ?? "text"
        return type == "text" && knownName.map { Self.textNames.contains($0) } ?? false
    }

    private static let textNames: Set<VCard.PropertyName> = [
        .fn, .note, .org, .title, .role, .label, .email, .tel, .mailer, .sortString, .name, .prodID, .uid,
        .classification, .birthPlace, .deathPlace, .expertise, .hobby, .interest, .jsProp, .xABLabel,
        .xABRelatedNames, .xMaidenName, .xPhoneticFirstName, .xPhoneticMiddleName, .xPhoneticLastName, .xPhoneticOrg,
        .xAssistant, .xManager, .xSpouse,
    ]

    /// The value as written, with the missing backslashes before its commas; nil if none is missing, or if the commas
    /// belong to the format of the value.
    fileprivate var valueWithEscapedCommas: VCard.Value? {
        if let knownName, [.n, .adr, .categories].contains(knownName) { return nil }
        guard version != .v2_1, !isBase64, !isQuotedPrintable, !isNested, !isInForeignCharset else { return nil }
        let value = rawValue
        guard value.contains(.comma) else { return nil }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(value.count + 1)
        var isAfterBackslash = false
        for byte in value {
            if byte == .comma, !isAfterBackslash { escaped.append(.backslash) }
            isAfterBackslash = byte == .backslash && !isAfterBackslash
            // Outlook's line break.
            if byte == 0x0B { escaped += [.backslash, UInt8(ascii: "n")] } else { escaped.append(byte) }
        }
        guard escaped.count > value.count, let text = String(validating: escaped, as: UTF8.self) else { return nil }
        return .plain(text)
    }
}
