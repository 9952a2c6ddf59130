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
            // A kind that the model does not know says nothing that it could keep.
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
        // What is embedded stands in the vCard alone.
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
