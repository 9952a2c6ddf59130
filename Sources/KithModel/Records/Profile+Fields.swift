/// How a profile becomes fields, and fields a profile.
extension Profile {
    /// The profile of these fields; what it lacks is empty.
    package init(_ fields: Fields) {
        self.init()
        given = fields["given"]?.text
        family = fields["family"]?.text
        nick = fields["nick"]?.text
        title = fields["title"]?.text
        jobTitle = fields["jobTitle"]?.text
        company = fields["company"]?.text
        status = fields["status"]?.text
        phones = Self.entries(fields["phones"])
        emails = Self.entries(fields["emails"])
        addresses = fields["addresses"].objects.compactMap { entry in
            entry["text"]?.text.map { Address($0, label: entry["label"]?.text) }
        }
        sites = Self.entries(fields["sites"])
        language = fields["language"]?.text
        country = fields["country"]?.text
        timeZone = fields["timeZone"]?.text
        picture = Picture(fields)
        for part in Part.allCases {
            if let chosen = fields[part.visibilityField]?.text.flatMap(Visibility.init), chosen != part.standard {
                visibility[part] = chosen
            }
        }
        isListed = fields["isListed"]?.flag ?? false
        isDiscoverable = fields["isDiscoverable"]?.flag ?? true
    }

    /// The fields of the profile; what it does not have is null.
    package var fields: Fields {
        var fields: Fields = [
            "given": .text(given), "family": .text(family), "nick": .text(nick), "title": .text(title),
            "jobTitle": .text(jobTitle), "company": .text(company), "status": .text(status),
            "phones": Self.value(phones), "emails": Self.value(emails), "sites": Self.value(sites),
            "addresses": addresses.isEmpty
                ? .null : .array(addresses.map { .object(of: ["text": $0.text, "label": $0.label]) }),
            "language": .text(language), "country": .text(country), "timeZone": .text(timeZone),
            "pictureSmall": .text(picture?.small), "pictureLarge": .text(picture?.large),
            "isListed": .flag(isListed), "isDiscoverable": .flag(isDiscoverable),
        ]
        for part in Part.allCases { fields[part.visibilityField] = .text(visibility(of: part).rawValue) }
        return fields
    }

    private static func entries(_ value: FieldValue?) -> [Entry] {
        value.objects.compactMap { entry in
            entry["value"]?.text.map { Entry($0, label: entry["label"]?.text, type: entry["type"]?.text) }
        }
    }

    private static func value(_ entries: [Entry]) -> FieldValue {
        if entries.isEmpty { return .null }
        return .array(entries.map { .object(of: ["value": $0.value, "label": $0.label, "type": $0.type]) })
    }
}

extension Profile.Picture {
    /// The picture of a profile or contact with these fields; nil if it has none, or only one size.
    package init?(_ fields: Fields) {
        guard let small = fields["pictureSmall"]?.text, let large = fields["pictureLarge"]?.text else { return nil }
        self.init(small: small, large: large)
    }
}

extension FieldValue {
    /// A text, or null where there is none.
    package static func text(_ text: String?) -> FieldValue { text.map { .text($0) } ?? .null }

    /// An object of those texts that there are.
    fileprivate static func object(of texts: [String: String?]) -> FieldValue {
        .object(texts.compactMapValues { $0.map { .text($0) } })
    }
}

extension FieldValue? {
    /// The objects of an array; none for any other value.
    fileprivate var objects: [[String: FieldValue]] {
        guard case .array(let values) = self else { return [] }
        return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }
}
