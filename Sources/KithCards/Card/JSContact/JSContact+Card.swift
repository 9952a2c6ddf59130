extension JSContact {
    /// The fields that the model knows. What else there is, is kept.
    static let known: Set<String> = [
        "@type", "version", "uid", "kind", "language", "prodId", "created", "updated", "keywords", "members", "name",
        "nicknames", "organizations", "titles", "speakToAs", "emails", "phones", "onlineServices",
        "preferredLanguages", "addresses", "media", "links", "calendars", "cryptoKeys", "directories",
        "schedulingAddresses", "anniversaries", "notes", "relatedTo", "personalInfo", "vCardProps",
    ]

    var fields: [String: JSONValue] {
        var fields = JSFields(type: "Card")
        fields.set("version", card.uid == nil ? "2.0" : "1.0")
        fields.set("uid", card.uid)
        if card.kind != .individual { fields.set("kind", card.kind.rawValue) }
        fields.set("language", card.language)
        fields.set("prodId", card.productID)
        fields.set("created", card.created)
        fields.set("updated", card.updated)
        fields.set("keywords", card.keywords)
        fields.set("members", card.members)
        fields.set("name", card.name.jsContact)
        fields.set("speakToAs", card.speakToAs.jsContact)
        fields.set("relatedTo", card.relatedTo.jsContact)
        fields.set("nicknames", card.nicknames.jsContact("Nickname"))
        fields.set("organizations", card.organizations.jsContact("Organization"))
        fields.set("titles", card.titles.jsContact("Title"))
        fields.set("emails", card.emails.jsContact("EmailAddress"))
        fields.set("phones", card.phones.jsContact("Phone"))
        fields.set("onlineServices", card.onlineServices.jsContact("OnlineService"))
        fields.set("preferredLanguages", card.preferredLanguages.jsContact("LanguagePref"))
        fields.set("addresses", card.addresses.jsContact("Address"))
        fields.set("media", card.media.jsContact("Media"))
        fields.set("links", card.links.jsContact("Link"))
        fields.set("calendars", card.calendars.jsContact("Calendar"))
        fields.set("schedulingAddresses", card.schedulingAddresses.jsContact("SchedulingAddress"))
        fields.set("cryptoKeys", card.cryptoKeys.jsContact("CryptoKey"))
        fields.set("directories", card.directories.jsContact("Directory"))
        fields.set("anniversaries", card.anniversaries.jsContact("Anniversary"))
        fields.set("notes", card.notes.jsContact("Note"))
        fields.set("personalInfo", card.personalInfo.jsContact("PersonalInfo"))
        if !vCardProperties.isEmpty { fields.set("vCardProps", .array(vCardProperties)) }
        var whole = fields.fields
        // An object comes before what is in it.
        for (pointer, value) in further.sorted(by: { $0.key < $1.key }) { JSPointer(pointer)?.put(value, into: &whole) }
        return whole
    }

    init(_ fields: JSFields) throws(JSFields.Fault) {
        guard fields["@type"] == "Card" || fields["@type"] == nil else { throw fields.fault("has another “@type”") }
        var card = Card()
        card.uid = fields["uid"]
        card.kind = fields.word("kind") ?? .individual
        card.language = fields["language"]
        card.productID = fields["prodId"]
        card.created = fields["created"]
        card.updated = fields["updated"]
        card.keywords = fields.set("keywords")
        card.members = fields.set("members")
        if let name = fields.object("name") { card.name = try Card.Name(name) }
        if let speakToAs = fields.object("speakToAs") { card.speakToAs = try Card.SpeakToAs(speakToAs) }
        card.relatedTo = try [Card.Relation](relatedTo: fields)
        card.nicknames = try [Card.Nickname](fields, "nicknames")
        card.organizations = try [Card.Organization](fields, "organizations")
        card.titles = try [Card.Title](fields, "titles")
        card.emails = try [Card.Email](fields, "emails")
        card.phones = try [Card.Phone](fields, "phones")
        card.onlineServices = try [Card.OnlineService](fields, "onlineServices")
        card.preferredLanguages = try [Card.Language](fields, "preferredLanguages")
        card.addresses = try [Card.Address](fields, "addresses")
        card.media = try [Card.Resource](fields, "media")
        card.links = try [Card.Resource](fields, "links")
        card.calendars = try [Card.Resource](fields, "calendars")
        card.schedulingAddresses = try [Card.Resource](fields, "schedulingAddresses")
        card.cryptoKeys = try [Card.Resource](fields, "cryptoKeys")
        card.directories = try [Card.Resource](fields, "directories")
        card.anniversaries = try [Card.Anniversary](fields, "anniversaries")
        card.notes = try [Card.Note](fields, "notes")
        card.personalInfo = try [Card.PersonalInfo](fields, "personalInfo")
        self.init(card)
        if case .array(let properties)? = fields.fields["vCardProps"] { vCardProperties = properties }
        guard fields["@type"] != nil || card != Card() || !vCardProperties.isEmpty else {
            throw fields.fault("has neither “@type” nor anything of a card")
        }
        further = JSPointer.rest(of: fields.fields, without: self.fields)
    }
}

/// An entry that JSContact keeps in a map by its id.
protocol JSContactEntry: CardEntry {
    /// Writes what it says; false if JSContact has no words for it.
    func write(to fields: inout JSFields) -> Bool
    init(id: String, _ fields: JSFields) throws(JSFields.Fault)
}

extension Array where Element: JSContactEntry {
    /// The entries as a map of objects of this type; nil if there are none.
    fileprivate func jsContact(_ type: String) -> JSONValue? {
        var map: [String: JSONValue] = [:]
        for entry in self {
            var fields = JSFields(type: type)
            guard entry.write(to: &fields) else { continue }
            fields.set(entry.vCardParameters)
            map[entry.id] = .object(fields.fields)
        }
        return map.isEmpty ? nil : .object(map)
    }

    fileprivate init(_ fields: JSFields, _ name: String) throws(JSFields.Fault) {
        self = []
        for (id, fields) in try fields.map(name) {
            var entry = try Element(id: id, fields)
            entry.vCardParameters = fields.vCardParameters
            append(entry)
        }
    }
}

extension JSFields {
    /// Writes the parameters that a vCard has besides.
    mutating func set(_ vCardParameters: VCard.Parameters) {
        let parameters = vCardParameters.jCard
        if !parameters.isEmpty { set("vCardParams", .object(parameters)) }
    }

    /// The parameters that a vCard has besides.
    var vCardParameters: VCard.Parameters {
        guard case .object(let parameters)? = fields["vCardParams"] else { return [:] }
        return VCard.Parameters(jCard: parameters)
    }

    /// Writes where an entry belongs, and which to prefer.
    mutating func setPlace(of entry: some PlacedEntry) {
        set("contexts", entry.contexts.map(\.rawValue))
        set("pref", entry.pref)
    }

    /// Reads where an entry belongs, and which to prefer.
    func place(of entry: inout some PlacedEntry) {
        entry.contexts = words("contexts")
        entry.pref = integer("pref")
    }
}
