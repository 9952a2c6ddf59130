extension Card {
    /// Reads or writes the fields of JSContact's `Card` that the model has.
    mutating func exchange(with fields: inout JSFields) {
        fields.text("uid", &uid)
        fields.word("kind", &kind, usually: .individual)
        fields.text("language", &language)
        fields.text("prodId", &productID)
        fields.text("created", &created)
        fields.text("updated", &updated)
        fields.object("name", "Name", isWritten: !name.components.isEmpty || name.full != nil) {
            name.exchange(with: &$0)
        }
        fields.object("speakToAs", "SpeakToAs", isWritten: speakToAs != SpeakToAs()) {
            $0.word("grammaticalGender", &speakToAs.grammaticalGender)
            $0.map("pronouns", &speakToAs.pronouns, "Pronouns")
        }
        for family in CardPart.Family.table { family.exchange(&self, with: &fields) }
    }
}

extension Card.Name {
    fileprivate mutating func exchange(with fields: inout JSFields) {
        fields.text("full", &full)
        fields.components(&components, "NameComponent") { $1.text("phonetic", &$0.phonetic) }
        fields.flag("isOrdered", &isOrdered)
        fields.text("defaultSeparator", &defaultSeparator)
        fields.text("phoneticSystem", &phoneticSystem)
        fields.text("phoneticScript", &phoneticScript)
        fields.object("sortAs", nil, isWritten: !sortAs.isEmpty) {
            for kind in Kind.allCases { $0.text(kind.rawValue, &sortAs[kind]) }
        }
        fields.parameters(&vCardParameters)
    }
}

extension Card.SpeakToAs.Pronouns: JSContactEntry {
    init(key: String, at place: Int) { self.init(id: key, pronouns: "") }

    mutating func exchange(with fields: inout JSFields) {
        fields.text("pronouns", &pronouns)
        fields.place(of: &self)
    }
}

extension Card.Nickname: JSContactEntry {
    init(key: String, at place: Int) { self.init(id: key, name: "") }

    mutating func exchange(with fields: inout JSFields) {
        fields.text("name", &name)
        fields.place(of: &self)
    }
}

extension Card.Organization: JSContactEntry {
    init(key: String, at place: Int) { self.init(id: key, name: nil) }

    mutating func exchange(with fields: inout JSFields) {
        fields.text("name", &name)
        fields.list("units", &units, "OrgUnit") { unit, fields in
            var name = unit ?? ""
            fields.text("name", &name)
            return name
        }
        fields.text("sortAs", &sortAs)
        fields.words("contexts", &contexts)
    }
}

extension Card.Title: JSContactEntry {
    init(key: String, at place: Int) { self.init(id: key, kind: .title, name: "") }

    mutating func exchange(with fields: inout JSFields) {
        fields.text("name", &name)
        fields.word("kind", &kind, usually: .title)
        fields.text("organizationId", &organization)
    }
}

// MARK: - Ways to reach someone

extension Card.Email: JSContactEntry {
    init(key: String, at place: Int) { self.init(id: key, address: "") }

    mutating func exchange(with fields: inout JSFields) {
        fields.text("address", &address)
        fields.place(of: &self)
        fields.text("label", &label)
    }
}

extension Card.Phone: JSContactEntry {
    init(key: String, at place: Int) { self.init(id: key, number: "") }

    mutating func exchange(with fields: inout JSFields) {
        fields.text("number", &number)
        if fields.isReading { number = number.telephoneNumber ?? number }
        fields.words("features", &features)
        fields.place(of: &self)
        fields.text("label", &label)
    }
}

extension Card.OnlineService: JSContactEntry {
    init(key: String, at place: Int) { self.init(id: key, service: nil) }

    mutating func exchange(with fields: inout JSFields) {
        fields.text("service", &service)
        fields.text("uri", &uri)
        fields.text("user", &user)
        if fields.isReading, uri == nil, user == nil { fields.fail("has neither “uri” nor “user”") }
        fields.place(of: &self)
        fields.text("label", &label)
    }
}

extension Card.Language: JSContactEntry {
    init(key: String, at place: Int) { self.init(id: key, language: "") }

    mutating func exchange(with fields: inout JSFields) {
        fields.text("language", &language)
        fields.place(of: &self)
    }
}

extension Card.Address: JSContactEntry {
    init(key: String, at place: Int) { self.init(id: key) }

    mutating func exchange(with fields: inout JSFields) {
        fields.components(&components, "AddressComponent")
        fields.flag("isOrdered", &isOrdered)
        fields.text("defaultSeparator", &defaultSeparator)
        fields.text("full", &full)
        fields.text("countryCode", &countryCode)
        fields.text("coordinates", &coordinates)
        fields.text("timeZone", &timeZone)
        fields.place(of: &self)
    }
}

extension Card.Resource: JSContactEntry {
    /// Embedded data is only in the vCard.
    var isSaid: Bool { if case .uri = content { true } else { false } }

    init(key: String, at place: Int) { self.init(id: key, content: .uri("")) }

    mutating func exchange(with fields: inout JSFields) {
        guard case .uri(var uri) = content else { return }
        fields.text("uri", &uri)
        content = .uri(uri)
        fields.word("kind", &kind)
        fields.text("mediaType", &mediaType)
        fields.place(of: &self)
        fields.text("label", &label)
    }
}

// MARK: - Days, notes, relations

extension Card.Anniversary: JSContactEntry {
    var isSaid: Bool { if case .text = day { false } else { kind != .other } }

    init(key: String, at place: Int) { self.init(id: key, kind: .other, day: .text("")) }

    mutating func exchange(with fields: inout JSFields) {
        fields.object("date", day.type, isWritten: true) { day.exchange(with: &$0) }
        if case .text = day { fields.fail("has no “date”") }
        fields.word("kind", &kind, usually: .other)
        // JSContact stores places as addresses.
        var address = Card.Address(id: "")
        (address.full, address.coordinates) = (place?.full, place?.coordinates)
        fields.object("place", "Address", isWritten: place != nil) { address.exchange(with: &$0) }
        let parts = address.components.filter { $0.kind != .separator }.map(\.value)
        let full = address.full ?? (parts.isEmpty ? nil : parts.joined(separator: ", "))
        let place = Place(full: full, coordinates: address.coordinates)
        self.place = place == Place() ? nil : place
    }
}

extension Card.Anniversary.Day {
    fileprivate var type: String { if case .moment = self, !isInOtherZone { "Timestamp" } else { "PartialDate" } }

    fileprivate mutating func exchange(with fields: inout JSFields) {
        var moment: String?
        var (year, month, day): (Int?, Int?, Int?)
        // A timestamp is in UTC, where it can be the day before or after.
        switch isInOtherZone ? civilDay : self {
        case .moment(let text): moment = text
        case .date(let years, let months, let days): (year, month, day) = (years, months, days)
        case .text: break
        }
        fields.text("utc", &moment)
        fields.integer("year", &year)
        fields.integer("month", &month)
        fields.integer("day", &day)
        if let moment {
            self = .moment(Self.moment(moment).isInOtherZone ? DateAndTime(moment)?.moment ?? moment : moment)
        } else if year != nil || month != nil || day != nil {
            self = .date(year: year, month: month, day: day)
        }
    }
}

extension Card.Note: JSContactEntry {
    init(key: String, at place: Int) { self.init(id: key, note: "") }

    mutating func exchange(with fields: inout JSFields) {
        fields.text("note", &note)
        fields.text("created", &created)
        var author = author ?? Author()
        fields.object("author", "Author", isWritten: self.author != nil) {
            $0.text("name", &author.name)
            $0.text("uri", &author.uri)
        }
        self.author = author == Author() ? nil : author
    }
}

extension Card.PersonalInfo: JSContactEntry {
    init(key: String, at place: Int) { self.init(id: key, kind: .interest, value: "") }

    mutating func exchange(with fields: inout JSFields) {
        var known: Kind? = kind
        fields.word("kind", &known)
        if let known { kind = known } else { fields.fail("has no “kind” of personal information") }
        fields.text("value", &value)
        fields.word("level", &level)
    }
}

extension Card.Relation: JSContactEntry {
    var key: String { other }

    init(key: String, at place: Int) {
        self.init(id: CardPart.Family.relation.id(at: place), other: key, relations: [])
    }

    mutating func exchange(with fields: inout JSFields) {
        var words = Array(relations)
        fields.set("relation", &words)
        relations = Set(words)
    }

    /// Merges several relations to one person.
    static func joined(_ relations: [Card.Relation]) -> [Card.Relation] {
        Array(Dictionary(relations.map { ($0.other, $0) }) { $0.joined(with: $1) }.values)
    }

    private func joined(with relation: Card.Relation) -> Card.Relation {
        var one = self
        one.relations.formUnion(relation.relations)
        for parameter in relation.vCardParameters {
            let values = one.vCardParameters[parameter.name]
            one.vCardParameters[parameter.name] += parameter.values.filter { !values.contains($0) }
        }
        return one
    }
}
