/// A property of a vCard that is read into a card, with its parameters decoded.
struct CardProperty {
    /// The property in the vCard.
    let written: VCard.Property
    let name: VCard.PropertyName
    /// Its index in the vCard.
    let index: Int
    /// Its contexts, features and preference.
    let words: TypeWords
    /// All parameters; empty if there are only TYPE, PREF, CHARSET and ENCODING.
    let parameters: VCard.Parameters

    init(_ written: VCard.Property, _ name: VCard.PropertyName, at index: Int) {
        (self.written, self.name, self.index) = (written, name, index)
        words = TypeWords(of: written)
        parameters = words.hasOtherParameters ? written.parameters : [:]
    }

    /// The group, in small letters because names of groups are case-insensitive.
    var group: String? { written.group?.lowercased() }

    /// The value as one text, without blanks around it.
    var text: String { written.text.trimmedASCII }

    /// The first value of a parameter other than TYPE and PREF; nil if it is missing or empty.
    subscript(parameter: String) -> String? {
        guard words.hasOtherParameters, let value = parameters[parameter].first?.trimmedASCII, !value.isEmpty else {
            return nil
        }
        return value
    }

    /// The declared type of the value, in small letters: `uri`.
    var valueType: String? { self["VALUE"]?.lowercased() }

    /// PROP-ID, if it is a valid id in JSContact (RFC 9553, section 1.4.1).
    var id: String? { self["PROP-ID"].flatMap { Self.isID($0) ? $0 : nil } }

    /// The sort keys in SORT-AS, one for each component. The examples of RFC 6350 have them all in one quoted value; its
    /// grammar has a value for each, which may contain commas.
    var sortKeys: [String] {
        let values = parameters["SORT-AS"]
        guard values.count == 1 else { return values.map(\.trimmedASCII) }
        return values[0].split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmedASCII }
    }

    /// The words of TYPE as written, without contexts and preference.
    var types: [String] {
        guard words.hasOtherWords || !words.features.isEmpty else { return [] }
        return written.parameters["TYPE"].filter { word in
            let word = word.lowercased()
            return word != "pref" && Card.Context(typeWord: word) == nil
        }
    }

    static func isID(_ text: String) -> Bool {
        1...255 ~= text.utf8.count && text.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    }
}

extension CardProperty {
    /// The parameters that the model has no field for if the property holds this part, in the order of their names.
    func carried(by part: CardPart) -> VCard.Parameters {
        let kinds = WordKinds(of: part)
        guard words.hasOtherParameters || words.hasOtherWords || !kinds.contains(words.kinds) else { return [:] }
        // Most emails have only this parameter, so they share one value.
        if words.isInternetAlone, !words.hasOtherParameters, kinds.contains(words.kinds) { return Self.internet }
        var carried = VCard.Parameters()
        let parameters = words.hasOtherParameters ? parameters : written.parameters
        for var parameter in parameters.sorted(by: { $0.name < $1.name }) {
            if parameter.name == "TYPE" {
                let mediaWord = part.family?.isOfResources == true && self["MEDIATYPE"] == nil ? mediaWord : nil
                let serviceWord = part.place(in: .onlineService) != nil ? serviceWord : nil
                parameter.values.removeAll { word in
                    word.isEmpty || word == mediaWord || word == serviceWord || isUnderstood(word, kinds)
                }
            } else if isUnderstood(parameter, part, kinds) {
                continue
            }
            if !parameter.values.isEmpty { carried.append(parameter) }
        }
        return carried
    }

    private static let internet: VCard.Parameters = ["TYPE": ["INTERNET"]]

    /// The word of TYPE that names the media type of a resource.
    private var mediaWord: String? { types.first(where: MediaType.isWord) }

    /// The word of TYPE by which Apple names a service, if nothing else names it.
    var serviceWord: String? {
        guard name == .xSocialProfile, self["SERVICE-TYPE"] == nil, self["X-SERVICE-TYPE"] == nil else { return nil }
        return types.first
    }

    /// Whether the model has a field for every word in a value of TYPE. Some programs write several words as one value.
    private func isUnderstood(_ value: String, _ kinds: WordKinds) -> Bool {
        // In RELATED, every other word is a relation.
        if name == .related { return Card.Context(typeWord: value) == nil && value.lowercased() != "pref" }
        return value.split(separator: " ").allSatisfy { word in
            let word = String(word)
            return kinds.contains(.contexts) && Card.Context(typeWord: word) != nil
                || kinds.contains(.features) && Card.Phone.Feature(typeWord: word) != nil
                || kinds.contains(.preference) && word.lowercased() == "pref"
        }
    }

    /// Whether the model has a field for a parameter other than TYPE, or the parameter describes how the value is
    /// written.
    private func isUnderstood(_ parameter: VCard.Parameters.Parameter, _ part: CardPart, _ kinds: WordKinds) -> Bool {
        let value = parameter.values.first?.trimmedASCII ?? ""
        switch parameter.name {
        case "ENCODING", "CHARSET", "VALUE", "PROP-ID": return true
        case "PREF": return kinds.contains(.preference)
        case "DERIVED": return part == .fullName
        case "JSCOMPS": return part == .name || part.family == .address
        case "SORT-AS": return part == .name || part.family == .organization
        case "LABEL": return part.family == .address
        case "GEO": return part.family == .address && AddressLayout.coordinates(value) != nil
        case "TZ": return part.family == .address && AddressLayout.timeZone(value) != nil
        case "CC": return part.family == .address && AddressLayout.countryCode(value) != nil
        case "MEDIATYPE": return part.family?.isOfResources == true
        case "SERVICE-TYPE", "X-SERVICE-TYPE", "USERNAME", "X-USER": return part.family == .onlineService
        case "AUTHOR", "AUTHOR-NAME": return part.family == .note
        case "CREATED": return part.family == .note && DateAndTime(value)?.moment != nil
        case "LEVEL":
            return part.family == .personalInfo && Card.PersonalInfo.Level(vCardWord: value.lowercased()) != nil
        case "X-APPLE-OMIT-YEAR":
            return part.family == .anniversary && Int(value) != nil && Int(value) == DateAndTime(text)?.year
        default: return false
        }
    }
}

extension CardProperty {
    /// The parameters of a companion property, except those that describe how its value is written or what it belongs
    /// to.
    func carried(beside aspect: Aspect) -> VCard.Parameters {
        var carried = VCard.Parameters()
        for var parameter in written.parameters {
            switch parameter.name {
            case "ENCODING", "CHARSET", "VALUE", "PROP-ID": continue
            case "ALTID" where aspect == .sound, "PHONETIC" where aspect == .sound, "SCRIPT" where aspect == .sound:
                continue
            case "PREF" where aspect == .fullAddress: continue
            case "TYPE" where aspect == .fullAddress:
                parameter.values.removeAll { isUnderstood($0, [.contexts, .preference]) }
            default: break
            }
            if !parameter.values.isEmpty { carried.append(parameter) }
        }
        return carried
    }
}

extension TypeWords {
    /// The kinds of words in the parameters.
    fileprivate var kinds: WordKinds {
        var kinds: WordKinds = []
        if !contexts.isEmpty { kinds.insert(.contexts) }
        if !features.isEmpty { kinds.insert(.features) }
        if pref != nil { kinds.insert(.preference) }
        return kinds
    }
}

extension CardPart.Family {
    /// Whether its entries are resources.
    var isOfResources: Bool { row.resources != nil }
}
