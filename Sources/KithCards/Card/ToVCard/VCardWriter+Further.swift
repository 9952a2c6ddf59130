extension VCardWriter {
    func note(_ note: Card.Note) -> PropertyDraft {
        var parameters = parameters([], id: note.id, .note)
        parameters["AUTHOR"] = note.author?.uri.map { [$0] } ?? []
        parameters["AUTHOR-NAME"] = note.author?.name.map { [$0] } ?? []
        parameters["CREATED"] = note.created.map { [timestamp($0)] } ?? []
        return PropertyDraft(.note, .text(note.note), parameters)
    }

    func info(_ info: Card.PersonalInfo) -> PropertyDraft {
        let name: VCard.PropertyName =
            switch info.kind {
            case .expertise: .expertise
            case .hobby: .hobby
            case .interest: .interest
            }
        var parameters = parameters([], id: info.id, .personalInfo)
        parameters["LEVEL"] = info.level.map { [$0.vCardWord(for: info.kind)] } ?? []
        return PropertyDraft(name, .text(info.value), parameters)
    }

    func kind(_ kind: Card.Kind) -> PropertyDraft? {
        switch kind {
        case .individual: nil
        case .org where isOld && existing?.knownName != .kind: PropertyDraft(.xABShowAs, .text("COMPANY"))
        case .group where isOld && existing?.knownName != .kind:
            PropertyDraft(.xAddressBookServerKind, .text(kind.rawValue))
        default: PropertyDraft(.kind, .text(kind.rawValue))
        }
    }

    func member(_ uid: String) -> PropertyDraft {
        PropertyDraft(isOld ? .xAddressBookServerMember : .member, uid.isURI ? .plain(uid) : .text(uid))
    }

    // MARK: Days

    func anniversary(_ anniversary: Card.Anniversary) -> PropertyDraft {
        var parameters = parameters([], id: anniversary.id, .anniversary)
        let value: VCard.Value
        switch anniversary.day {
        case .text(let text):
            if !isOld || DateAndTime(text) != nil { parameters["VALUE"] = ["text"] }
            value = .text(text)
        case .moment(let moment):
            value = .plain(timestamp(moment))
        case .date(let year, let month, let day):
            if year == nil, let omitted = omittedYear(month, day) {
                parameters["X-APPLE-OMIT-YEAR"] = [String(omitted)]
                value = .plain(date(omitted, month, day))
            } else {
                value = .plain(date(year, month, day))
            }
        }
        var draft = PropertyDraft(name(of: anniversary), value, parameters)
        if draft.name == .xABDate, anniversary.kind == .wedding {
            draft.companions[.label] = PropertyDraft(.xABLabel, .text(Label.bracketed("Anniversary")))
        }
        say(anniversary.place, of: anniversary.kind, in: &draft)
        return anniversary.label == nil ? draft : labelled(draft, anniversary.label)
    }

    /// The year by which Apple's programs, which know no date without one, say in version 3.0 that there is none; nil
    /// where the date is written without a year, as the property that is there does.
    private func omittedYear(_ month: Int?, _ day: Int?) -> Int? {
        if let mark = existing?.parameters["X-APPLE-OMIT-YEAR"].first, let omitted = Int(mark) { return omitted }
        guard version == .v3_0, month != nil, day != nil, existing?.text.hasPrefix("-") != true else { return nil }
        // Apple's own: a leap year, so that 29 February is a day of it.
        return 1604
    }

    /// Where someone was born or has died: in words, and by coordinates.
    private func say(
        _ place: Card.Anniversary.Place?, of kind: Card.Anniversary.Kind, in draft: inout PropertyDraft
    ) {
        let name: VCard.PropertyName
        switch kind {
        case .birth: name = .birthPlace
        case .death: name = .deathPlace
        case .wedding, .other: return
        }
        if let full = place?.full { draft.companions[.place] = PropertyDraft(name, .text(full)) }
        if let coordinates = place?.coordinates {
            draft.companions[.placeCoordinates] = PropertyDraft(name, .plain(coordinates), ["VALUE": ["uri"]])
        }
    }

    private func name(of anniversary: Card.Anniversary) -> VCard.PropertyName {
        switch anniversary.kind {
        case .birth: return .bday
        case .death: return .deathDate
        case .other: return .xABDate
        case .wedding:
            let known: [VCard.PropertyName] = [
                .anniversary, .xAnniversary, .xEvolutionAnniversary, .xKAddressBookAnniversary, .xMSAnniversary,
            ]
            if let name = existing?.knownName, known.contains(name) { return name }
            guard isOld || existing?.knownName == .xABDate else { return .anniversary }
            // There, only its label says what the day is.
            return anniversary.label == nil ? .xABDate : isOld ? .xAnniversary : .anniversary
        }
    }

    /// Version 4.0 writes dates without hyphens, version 3.0 with them; either may be in a card of version 2.1.
    private func date(_ year: Int?, _ month: Int?, _ day: Int?) -> String {
        let hyphen = version == .v4_0 ? "" : "-"
        let day = day?.padded(2)
        guard let year else {
            return month.map { "--\($0.padded(2))" + (day.map { hyphen + $0 } ?? "") } ?? "---\(day ?? "")"
        }
        guard let month else { return year.padded(4) }
        // Without a hyphen a month could be taken for a day.
        return year.padded(4) + (day.map { hyphen + month.padded(2) + hyphen + $0 } ?? "-\(month.padded(2))")
    }

    /// A moment of RFC 3339 in UTC. Version 4.0 writes it without hyphens and colons.
    func timestamp(_ moment: String) -> String {
        version == .v4_0 ? moment.filter { $0 != "-" && $0 != ":" } : moment
    }

    // MARK: Relations

    func relation(_ relation: Card.Relation) -> PropertyDraft {
        let parameters = parameters([], id: relation.id, .relation)
        if let name = existing?.knownName, relation.relations == ["spouse"],
            [.xSpouse, .xMSSpouse, .xEvolutionSpouse, .xKAddressBookSpouse].contains(name)
        {
            return labelled(PropertyDraft(name, .text(relation.other), parameters), relation.label)
        }
        if relation.relations.isEmpty, existing.map({ $0.knownName == .xABRelatedNames }) ?? isOld {
            return labelled(PropertyDraft(.xABRelatedNames, .text(relation.other), parameters), relation.label)
        }
        if let label = appleLabel(relation) {
            return labelled(PropertyDraft(.xABRelatedNames, .text(relation.other), parameters), label)
        }
        let value: VCard.Value = relation.other.isURI ? .plain(relation.other) : .text(relation.other)
        var new = parameters
        // Version 4.0 has no AGENT any more, and RELATED in its place (RFC 6350, appendix A.2).
        if relation.relations == ["agent"], existing.map({ $0.knownName == .agent }) ?? isOld {
            if relation.other.isURI { new["VALUE"] = ["uri"] }
            return labelled(PropertyDraft(.agent, value, new), relation.label)
        }
        let types = relation.relations.sorted()
        new["TYPE"] = isOld ? types.map { $0.uppercased() } : types
        if !relation.other.isURI { new["VALUE"] = ["text"] }
        return labelled(PropertyDraft(.related, value, new), relation.label)
    }

    /// The label that says all of a relation, as programs before version 4.0 wrote it; nil if there is none.
    private func appleLabel(_ relation: Card.Relation) -> String? {
        guard existing.map({ $0.knownName == .xABRelatedNames }) ?? isOld else { return nil }
        guard relation.relations.count == 1, let word = relation.relations.first else { return nil }
        let text = relation.label ?? word
        let label = Label(Label.bracketed(text.prefix(1).uppercased() + text.dropFirst()))
        guard let said = label.relation, said.word == word, said.isAll == (relation.label == nil),
            said.isAll || label.words == relation.label
        else { return nil }
        return Label.bracketed(label.word)
    }
}
