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
    /// A `PartialDate` or a `Timestamp`; nil for what is but a text.
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
    /// The relations by the other's uid, as JSContact has them: several to one other are one.
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
