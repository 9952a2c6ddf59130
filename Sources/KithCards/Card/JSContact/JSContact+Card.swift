extension JSContact {
    /// The fields that the model knows. What else there is, is kept.
    static let known = Set(CardPart.Family.table.map(\.field)).union([
        "@type", "version", "uid", "kind", "language", "prodId", "created", "updated", "name", "vCardProps",
    ])

    var fields: [String: JSONValue] {
        var fields = JSFields(type: "Card")
        fields.set("version", card.uid == nil ? "2.0" : "1.0")
        fields.set("uid", card.uid)
        if card.kind != .individual { fields.set("kind", card.kind.rawValue) }
        fields.set("language", card.language)
        fields.set("prodId", card.productID)
        fields.set("created", card.created)
        fields.set("updated", card.updated)
        fields.set("name", card.name.jsContact)
        fields.set("speakToAs", card.speakToAs.jsContact)
        for family in CardPart.Family.table { family.write(card, to: &fields) }
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
        if let name = fields.object("name") { card.name = try Card.Name(name) }
        if let speakToAs = fields.object("speakToAs") { card.speakToAs = try Card.SpeakToAs(speakToAs) }
        for family in CardPart.Family.table { try family.read(fields, into: &card) }
        self.init(card)
        if case .array(let properties)? = fields.fields["vCardProps"] { vCardProperties = properties }
        guard fields["@type"] != nil || card != Card() || !vCardProperties.isEmpty else {
            throw fields.fault("has neither “@type” nor anything of a card")
        }
        further = JSPointer.rest(of: fields.fields, without: self.fields)
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
