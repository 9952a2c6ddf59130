extension VCardWriter {
    /// `FN`: the whole name as the card gives it, else one made of the parts for readers that need one.
    func fullName(of card: Card) -> PropertyDraft? {
        if let full = card.name.full { return PropertyDraft(.fn, .text(full)) }
        guard version != .v2_1 else { return nil }
        let derived = card.name.displayText ?? card.anyName
        var draft = PropertyDraft(.fn, .text(derived ?? ""), ["DERIVED": ["TRUE"]])
        draft.isDerived = true
        return draft
    }

    /// `N`, with what to sort by and how it sounds.
    func name(of card: Card) -> PropertyDraft? {
        let name = card.name
        var draft = PropertyDraft(.n, .components(NameLayout.values(of: name.components, isOld: isOld)))
        // The versions before 4.0 require it.
        if name.components.isEmpty { draft.isDerived = isOld }
        if !isOld, name.isOrdered {
            draft.parameters["JSCOMPS"] = [
                NameLayout.order(of: name.components, defaultSeparator: name.defaultSeparator).text
            ]
        }
        if !name.sortAs.isEmpty {
            if name.sortAs.keys.allSatisfy({ $0 == .surname }), !isParameter("SORT-AS", .sortAs) {
                draft.companions[.sortAs] = PropertyDraft(.sortString, .text(name.sortAs[.surname] ?? ""))
            } else {
                var values = NameLayout.kinds.map { name.sortAs[$0] ?? "" }
                while values.last == "" { values.removeLast() }
                // One value in quotes, as RFC 6350 shows it.
                draft.parameters["SORT-AS"] = [values.joined(separator: ",")]
            }
        }
        draft.carry(name.vCardParameters)
        addSounds(of: name, to: &draft)
        let isEmpty = name.components.isEmpty && draft.companions.isEmpty && draft.parameters.isEmpty
        return isEmpty && !draft.isDerived ? nil : draft
    }

    /// How the parts sound: in a second `N` where the card says how sounds are written, else as Apple and Google do.
    private func addSounds(of name: Card.Name, to draft: inout PropertyDraft) {
        if !isOld, name.phoneticSystem != nil || name.phoneticScript != nil {
            let parts = name.components.map { Card.Name.Component($0.kind, $0.phonetic ?? "") }
            guard parts.contains(where: { !$0.value.isEmpty }) else { return }
            var alternative = draft.parameters["ALTID"]
            if alternative.isEmpty { alternative = existing?.parameters["ALTID"] ?? [] }
            if alternative.isEmpty { alternative = ["1"] }
            draft.parameters["ALTID"] = alternative
            var sound = PropertyDraft(.n, .components(NameLayout.values(of: parts, isOld: isOld)))
            sound.parameters["ALTID"] = alternative
            sound.parameters["PHONETIC"] = [name.phoneticSystem ?? "script"]
            sound.parameters["SCRIPT"] = name.phoneticScript.map { [$0] } ?? []
            draft.companions[.sound] = sound
            return
        }
        let sounds: [(Card.Name.Kind, VCard.PropertyName)] = [
            (.given, .xPhoneticFirstName), (.given2, .xPhoneticMiddleName), (.surname, .xPhoneticLastName),
        ]
        for (kind, property) in sounds {
            guard let sound = name.components.first(where: { $0.kind == kind })?.phonetic else { continue }
            draft.companions[.phonetic(kind)] = PropertyDraft(property, .text(sound))
        }
    }

    /// `NICKNAME`, which can hold several that are alike.
    func nickname(_ nickname: Card.Nickname) -> PropertyDraft {
        PropertyDraft(.nickname, .list([nickname.name]), parameters(of: nickname, .nickname))
    }

    func organization(_ organization: Card.Organization) -> PropertyDraft {
        var parameters = parameters(organization.contexts.words, id: organization.id, .organization)
        parameters["SORT-AS"] = organization.sortAs.map { [$0] } ?? []
        let components = ([organization.name ?? ""] + organization.units).map { [$0] }
        return PropertyDraft(.org, .components(components), parameters)
    }

    func title(_ title: Card.Title) -> PropertyDraft {
        let parameters = parameters([], id: title.id, .title)
        var draft = PropertyDraft(title.kind == .title ? .title : .role, .text(title.name), parameters)
        draft.organization = title.organization
        return draft
    }

    func pronouns(_ pronouns: Card.SpeakToAs.Pronouns) -> PropertyDraft {
        PropertyDraft(.pronouns, .text(pronouns.pronouns), parameters(of: pronouns, .pronouns))
    }
}

extension NameLayout {
    /// The components of `N` for these parts, each with its values.
    ///
    /// Older readers find second surnames among the surnames, and generations
    /// among the credentials (RFC 9554, section 2.2). Before version 4.0 that is
    /// their only place.
    static func values(of parts: [Card.Name.Component], isOld: Bool) -> [[String]] {
        var values = kinds.map { kind in parts.filter { $0.kind == kind }.map(\.value) }
        for (index, kind) in kinds.enumerated() {
            if let twin = twins[kind].flatMap({ kinds.firstIndex(of: $0) }) { values[index] += values[twin] }
        }
        return isOld || isPlain(parts) ? Array(values.prefix(old)) : values
    }
}
