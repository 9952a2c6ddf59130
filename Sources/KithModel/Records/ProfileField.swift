/// A field of the profile: where it is stored, what it may hold, and what it is called. ``Profile/allFields`` lists all.
///
/// Code that treats all fields alike asks this type instead of naming each of them.
package struct ProfileField: Sendable {
    /// The property of the profile that holds the field.
    package enum Content: Sendable {
        /// One text, with at most this many characters.
        case text(any WritableKeyPath<Profile, String?> & Sendable, longest: Int)
        /// Up to 20 numbers, email addresses or sites, each with at most this many characters.
        case entries(any WritableKeyPath<Profile, [Profile.Entry]> & Sendable, longest: Int)
        /// Up to 10 postal addresses.
        case addresses
        /// The picture. It has a field for each ``PictureSize``.
        case picture
    }

    /// The form in which a person is asked to write a value. Records also hold values in other forms, because other
    /// clients may write any text.
    package enum Form: Sendable {
        /// Any text.
        case any
        /// A language tag (BCP 47).
        case languageTag
        /// The two letters of a country (ISO 3166-1).
        case countryCode
        /// A name of the time zone database (IANA).
        case zoneName
        /// A telephone number.
        case phoneNumber
        /// An email address.
        case emailAddress
        /// The address of a web site.
        case webSite
    }

    /// The part of the profile. Its raw value is the name in records and in JSON.
    package let part: Profile.Part
    /// The property that holds the field.
    package let content: Content
    /// Whether contacts have the field. The other fields are details, which are fetched on request.
    package let isInSummary: Bool
    /// The name in a table for people.
    package let label: String
    /// The name in commands.
    package let word: String
    /// The property of a vCard (RFC 6350) that has the value; nil if there is none. The name is in `FN` and `N`.
    package let vCardProperty: String?
    /// The form in which a person is asked to write the value.
    package let form: Form

    /// Creates a field with these properties. Without `word`, the name of the part is used.
    init(
        _ part: Profile.Part, _ content: Content, isInSummary: Bool = false, label: String, word: String? = nil,
        vCard property: String? = nil, form: Form = .any
    ) {
        self.part = part
        self.content = content
        self.isInSummary = isInSummary
        self.label = label
        self.word = word ?? part.rawValue
        vCardProperty = property
        self.form = form
    }
}

// MARK: - Records

extension ProfileField {
    /// The fields of the record, and who may write them.
    var schema: [Field] {
        switch content {
        case .text(_, let longest): [Field(part.rawValue, .text(0...longest), writer: .owner)]
        case .entries(_, let longest):
            [
                Field(
                    part.rawValue,
                    .entries([.init("value", longest), .init("label", 60), .init("type", 40)], upTo: 20),
                    writer: .owner)
            ]
        case .addresses:
            [Field(part.rawValue, .entries([.init("text", 500), .init("label", 60)], upTo: 10), writer: .owner)]
        case .picture: part.fields.map { Field($0, .digest, writer: .owner) }
        }
    }

    /// Reads the value from the fields of a record. Without one, the property is emptied.
    package func read(_ fields: Fields, into profile: inout Profile) {
        let value = fields[part.rawValue]
        switch content {
        case .text(let path, _): profile[keyPath: path] = value?.text
        case .entries(let path, _):
            profile[keyPath: path] = value.objects.compactMap { entry in
                entry["value"]?.text.map {
                    Profile.Entry($0, label: entry["label"]?.text, type: entry["type"]?.text)
                }
            }
        case .addresses:
            profile.addresses = value.objects.compactMap { address in
                address["text"]?.text.map { Profile.Address($0, label: address["label"]?.text) }
            }
        case .picture: profile.picture = Profile.Picture(fields)
        }
    }

    /// Writes the value to the fields of a record; null if it is empty.
    func write(_ profile: Profile, to fields: inout Fields) {
        switch content {
        case .text(let path, _): fields[part.rawValue] = .text(profile[keyPath: path])
        case .entries(let path, _):
            fields[part.rawValue] = .array(
                of: profile[keyPath: path].map { ["value": $0.value, "label": $0.label, "type": $0.type] })
        case .addresses:
            fields[part.rawValue] = .array(of: profile.addresses.map { ["text": $0.text, "label": $0.label] })
        case .picture:
            for size in PictureSize.allCases { fields[size.field] = .text(size.hash(in: profile.picture)) }
        }
    }
}

extension FieldValue {
    /// An array of objects with those of the texts that are not nil; null if there is no object.
    fileprivate static func array(of objects: [[String: String?]]) -> FieldValue {
        if objects.isEmpty { return .null }
        return .array(objects.map { object(of: $0) })
    }

    private static func object(of texts: [String: String?]) -> FieldValue {
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
