extension Card.Name {
    /// The object of JSContact; nil if there is nothing in it.
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
            // A kind that the model does not know says nothing that it could keep.
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
    /// The object of JSContact; nil if there is nothing in it.
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
