extension Card.Anniversary: JSContactEntry {
    func write(to fields: inout JSFields) -> Bool {
        guard kind != .other, let date = day.jsContact else { return false }
        fields.set("kind", kind.rawValue)
        fields.set("date", date)
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) {
        guard let date = fields.object("date"), let day = Day(date) else { throw fields.fault("has no “date”") }
        self.init(id: id, kind: fields.word("kind") ?? .other, day: day)
    }
}

extension Card.Anniversary.Day {
    /// A `PartialDate` or a `Timestamp`; nil for what is but a text.
    fileprivate var jsContact: FieldValue? {
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
        return true
    }

    init(id: String, _ fields: JSFields) throws(JSFields.Fault) { self.init(id: id, note: try fields.text("note")) }
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

extension [Card.Relation] {
    /// The relations by the other's uid, as JSContact has them: several to one other are one.
    var jsContact: FieldValue? {
        var map: [String: Set<String>] = [:]
        for relation in self { map[relation.other, default: []].formUnion(relation.relations) }
        guard !map.isEmpty else { return nil }
        return .object(
            map.mapValues { relations in
                var fields = JSFields(type: "Relation")
                fields.set("relation", relations)
                return .object(fields.fields)
            })
    }

    init(relatedTo fields: JSFields) throws(JSFields.Fault) {
        self = []
        for (other, fields) in try fields.map("relatedTo") {
            let id = CardPart.Family.relation.id(at: count)
            append(Card.Relation(id: id, other: other, relations: Set(fields.set("relation"))))
        }
    }
}
