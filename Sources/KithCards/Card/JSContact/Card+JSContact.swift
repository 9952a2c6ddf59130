extension Card.Name {
    /// The JSContact object; nil if it would be empty.
    var jsContact: JSONValue? {
        guard !components.isEmpty || full != nil else { return nil }
        var fields = JSFields(type: "Name")
        fields.set(vCardParameters)
        fields.set("full", full)
        let parts = components.map { component in
            var part = JSFields(type: "NameComponent")
            part.set("kind", component.kind.rawValue)
            part.set("value", component.value)
            part.set("phonetic", component.phonetic)
            return JSONValue.object(part.fields)
        }
        if !parts.isEmpty { fields.set("components", .array(parts)) }
        if isOrdered { fields.set("isOrdered", true) }
        fields.set("defaultSeparator", defaultSeparator)
        fields.set("phoneticSystem", phoneticSystem)
        fields.set("phoneticScript", phoneticScript)
        let sorting = sortAs.map { ($0.key.rawValue, JSONValue.text($0.value)) }
        if !sorting.isEmpty { fields.set("sortAs", .object(Dictionary(uniqueKeysWithValues: sorting))) }
        return .object(fields.fields)
    }

    init(_ fields: JSFields) throws(JSFields.Fault) {
        self.init()
        full = fields["full"]
        for part in try fields.list("components") {
            // The model cannot keep a part of an unknown kind.
            guard let kind: Kind = part.word("kind") else { continue }
            components.append(Component(kind, try part.text("value"), phonetic: part["phonetic"]))
        }
        isOrdered = fields.flag("isOrdered")
        defaultSeparator = fields["defaultSeparator"]
        phoneticSystem = fields["phoneticSystem"]
        phoneticScript = fields["phoneticScript"]
        vCardParameters = fields.vCardParameters
        guard let sorting = fields.object("sortAs") else { return }
        for kind in Kind.allCases { sortAs[kind] = sorting[kind.rawValue] }
    }
}

extension Card.SpeakToAs {
    /// The JSContact object; nil if it would be empty.
    var jsContact: JSONValue? {
        guard grammaticalGender != nil || !pronouns.isEmpty else { return nil }
        var fields = JSFields(type: "SpeakToAs")
        fields.set("grammaticalGender", grammaticalGender?.rawValue)
        fields.set("pronouns", Pronouns.jsContact(pronouns, "Pronouns"))
        return .object(fields.fields)
    }

    init(_ fields: JSFields) throws(JSFields.Fault) {
        self.init()
        grammaticalGender = fields.word("grammaticalGender")
        pronouns = try Pronouns.entries(of: fields, "pronouns")
    }
}

extension Card.SpeakToAs.Pronouns: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        fields.set("pronouns", pronouns)
        fields.setPlace(of: self)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        self.init(id: id, pronouns: try fields.text("pronouns"))
        fields.place(of: &self)
    }
}

extension Card.Nickname: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        fields.set("name", name)
        fields.setPlace(of: self)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        self.init(id: id, name: try fields.text("name"))
        fields.place(of: &self)
    }
}

extension Card.Organization: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        fields.set("name", name)
        let units = units.map { unit in
            var fields = JSFields(type: "OrgUnit")
            fields.set("name", unit)
            return JSONValue.object(fields.fields)
        }
        if !units.isEmpty { fields.set("units", .array(units)) }
        fields.set("sortAs", sortAs)
        fields.set("contexts", contexts.map(\.rawValue))
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        self.init(id: id, name: fields["name"])
        for unit in try fields.list("units") { units.append(try unit.text("name")) }
        sortAs = fields["sortAs"]
        contexts = fields.words("contexts")
    }
}

extension Card.Title: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        fields.set("name", name)
        if kind != .title { fields.set("kind", kind.rawValue) }
        fields.set("organizationId", organization)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        self.init(id: id, kind: fields.word("kind") ?? .title, name: try fields.text("name"))
        organization = fields["organizationId"]
    }
}

// MARK: - Ways to reach someone

extension Card.Email: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        fields.set("address", address)
        fields.setPlace(of: self)
        fields.set("label", label)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        self.init(id: id, address: try fields.text("address"))
        fields.place(of: &self)
        label = fields["label"]
    }
}

extension Card.Phone: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        fields.set("number", number)
        fields.set("features", features.map(\.rawValue))
        fields.setPlace(of: self)
        fields.set("label", label)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        let number = try fields.text("number")
        self.init(id: id, number: number.telephoneNumber ?? number)
        features = fields.words("features")
        fields.place(of: &self)
        label = fields["label"]
    }
}

extension Card.OnlineService: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        fields.set("service", service)
        fields.set("uri", uri)
        fields.set("user", user)
        fields.setPlace(of: self)
        fields.set("label", label)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        self.init(id: id, service: fields["service"], uri: fields["uri"], user: fields["user"])
        guard uri != nil || user != nil else { throw fields.fault("has neither “uri” nor “user”") }
        fields.place(of: &self)
        label = fields["label"]
    }
}

extension Card.Language: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        fields.set("language", language)
        fields.setPlace(of: self)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        self.init(id: id, language: try fields.text("language"))
        fields.place(of: &self)
    }
}

extension Card.Address: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        let parts = components.map { component in
            var part = JSFields(type: "AddressComponent")
            part.set("kind", component.kind.rawValue)
            part.set("value", component.value)
            return JSONValue.object(part.fields)
        }
        if !parts.isEmpty { fields.set("components", .array(parts)) }
        if isOrdered { fields.set("isOrdered", true) }
        fields.set("defaultSeparator", defaultSeparator)
        fields.set("full", full)
        fields.set("countryCode", countryCode)
        fields.set("coordinates", coordinates)
        fields.set("timeZone", timeZone)
        fields.setPlace(of: self)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        self.init(id: id)
        for part in try fields.list("components") {
            // The model cannot keep a part of an unknown kind.
            guard let kind: Kind = part.word("kind") else { continue }
            components.append(Component(kind, try part.text("value")))
        }
        isOrdered = fields.flag("isOrdered")
        defaultSeparator = fields["defaultSeparator"]
        full = fields["full"]
        countryCode = fields["countryCode"]
        coordinates = fields["coordinates"]
        timeZone = fields["timeZone"]
        fields.place(of: &self)
    }
}

extension Card.Resource: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        // Embedded data is only in the vCard.
        guard case .uri(let uri) = content else { return false }
        fields.set("uri", uri)
        fields.set("kind", kind?.rawValue)
        fields.set("mediaType", mediaType)
        fields.setPlace(of: self)
        fields.set("label", label)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        self.init(id: id, kind: fields.word("kind"), content: .uri(try fields.text("uri")))
        mediaType = fields["mediaType"]
        fields.place(of: &self)
        label = fields["label"]
    }
}

// MARK: - Days, notes, relations

extension Card.Anniversary: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        guard kind != .other, let date = day.jsContact else { return false }
        fields.set("kind", kind.rawValue)
        fields.set("date", date)
        fields.set("place", place?.jsContact)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        guard let date = fields.object("date"), let day = Day(date) else { throw fields.fault("has no “date”") }
        self.init(id: id, kind: fields.word("kind") ?? .other, day: day)
        if let place = fields.object("place") {
            let address = try Card.Address(id: "", place)
            let parts = address.components.filter { $0.kind != .separator }.map(\.value)
            let full = address.full ?? (parts.isEmpty ? nil : parts.joined(separator: ", "))
            self.place = Place(full: full, coordinates: address.coordinates)
            if self.place == Place() { self.place = nil }
        }
    }
}

extension Card.Anniversary.Place {
    /// An `Address`: JSContact has no other object for places.
    fileprivate var jsContact: JSONValue? {
        var fields = JSFields(type: "Address")
        fields.set("full", full)
        fields.set("coordinates", coordinates)
        return .object(fields.fields)
    }
}

extension Card.Anniversary.Day {
    /// A `PartialDate` or a `Timestamp`; nil for a text.
    fileprivate var jsContact: JSONValue? {
        switch self {
        case .text: return nil
        case .moment(let moment):
            var fields = JSFields(type: "Timestamp")
            fields.set("utc", moment)
            return .object(fields.fields)
        case .date(let year, let month, let day):
            var fields = JSFields(type: "PartialDate")
            fields.set("year", year)
            fields.set("month", month)
            fields.set("day", day)
            return .object(fields.fields)
        }
    }

    fileprivate init?(_ fields: JSFields) {
        if let moment = fields["utc"] {
            self = .moment(moment)
            return
        }
        let (year, month, day) = (fields.integer("year"), fields.integer("month"), fields.integer("day"))
        guard year != nil || month != nil || day != nil else { return nil }
        self = .date(year: year, month: month, day: day)
    }
}

extension Card.Note: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        fields.set("note", note)
        fields.set("created", created)
        if let author {
            var object = JSFields(type: "Author")
            object.set("name", author.name)
            object.set("uri", author.uri)
            fields.set("author", .object(object.fields))
        }
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        self.init(id: id, note: try fields.text("note"))
        created = fields["created"]
        guard let object = fields.object("author") else { return }
        let author = Author(name: object["name"], uri: object["uri"])
        self.author = author == Author() ? nil : author
    }
}

extension Card.PersonalInfo: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        fields.set("kind", kind.rawValue)
        fields.set("value", value)
        fields.set("level", level?.rawValue)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        guard let kind: Kind = fields.word("kind") else { throw fields.fault("has no “kind” of personal information") }
        self.init(id: id, kind: kind, value: try fields.text("value"))
        level = fields.word("level")
    }
}

extension Card.Relation: JSContactList {
    /// The relations by the other person's uid, as in JSContact. Several relations to one person are merged.
    static func jsContact(_ entries: [Card.Relation], _ type: String) -> JSONValue? {
        var map: [String: Card.Relation] = [:]
        for relation in entries {
            guard var one = map[relation.other] else {
                map[relation.other] = relation
                continue
            }
            one.relations.formUnion(relation.relations)
            for parameter in relation.vCardParameters {
                let values = one.vCardParameters[parameter.name]
                one.vCardParameters[parameter.name] += parameter.values.filter { !values.contains($0) }
            }
            map[relation.other] = one
        }
        guard !map.isEmpty else { return nil }
        return .object(
            map.mapValues { relation in
                var fields = JSFields(type: type)
                fields.set("relation", relation.relations)
                fields.set(relation.vCardParameters)
                return .object(fields.fields)
            })
    }

    static func entries(of fields: JSFields, _ name: String) throws(JSFields.Fault) -> [Card.Relation] {
        var relations: [Card.Relation] = []
        for (other, fields) in try fields.map(name) {
            let id = CardPart.Family.relation.id(at: relations.count)
            var relation = Card.Relation(id: id, other: other, relations: Set(fields.set("relation")))
            relation.vCardParameters = fields.vCardParameters
            relations.append(relation)
        }
        return relations
    }
}
