import KithModel
import Testing

@Suite("The fields of the profile") struct ProfileFieldTests {
    private let someone = AccountID(uuid(2))

    /// A profile in which only this field has a value.
    private func filled(_ field: ProfileField) -> Profile {
        var profile = Profile()
        switch field.content {
        case .text(let path, _): profile[keyPath: path] = "x"
        case .entries(let path, _): profile[keyPath: path] = [Profile.Entry("x", label: "y", type: "z")]
        case .addresses: profile.addresses = [Profile.Address("x", label: "y")]
        case .picture: profile = Profile(["pictureSmall": "x", "pictureLarge": "y"])
        }
        return profile
    }

    @Test("Each part that has fields has one row, and no two rows have the same word or vCard property")
    func rows() {
        let fields = Profile.allFields
        #expect(Set(fields.map(\.part)) == Set(Profile.Part.allCases.filter { !$0.fields.isEmpty }))
        for names in [fields.map(\.part.rawValue), fields.map(\.word), fields.compactMap(\.vCardProperty)] {
            #expect(Set(names).count == names.count)
        }
    }

    @Test("Each field is stored under its own names, read again, and emptied", arguments: Profile.allFields)
    func conversion(field: ProfileField) {
        var profile = filled(field)
        let stored = profile.fields.filter { $0.value != Profile().fields[$0.key] }
        #expect(Set(stored.keys) == Set(field.part.fields))
        #expect(field.part.fields.allSatisfy { Profile.schema[$0] != nil })
        #expect(Profile(stored) == profile && profile != Profile())
        field.read([:], into: &profile)
        #expect(profile == Profile())
    }

    @Test("A contact has the fields of the summary, and no others", arguments: Profile.allFields)
    func summary(field: ProfileField) {
        let profile = filled(field)
        let contact = NetworkContact(
            id: someone, profile.fields.filter { field.part.fields.contains($0.key) },
            modified: Timestamp(milliseconds: 0))
        #expect(contact.profile == (field.isInSummary ? profile : Profile()))
    }

    @Test("A contact reads each field once, in an order that does not depend on the values") func order() {
        var full = FullReader()
        _ = NetworkContact(id: someone, reading: &full, modified: Timestamp(milliseconds: 0))
        #expect(full.names == NetworkContact.fieldNames)
        // Only the server reads when the other person has blocked.
        let fields = NetworkContact.schema.fields.map(\.name).filter { $0 != "blocked" }
        #expect(full.names.sorted() == fields.sorted())
    }
}

/// Has a value for every field, and notes which are read.
private struct FullReader: FieldReader {
    var names: [String] = []

    mutating func text(_ name: String) -> String? {
        names.append(name)
        return name == "wish" ? "accept" : "x"
    }

    mutating func time(_ name: String) -> Timestamp? {
        names.append(name)
        return Timestamp(milliseconds: 1)
    }

    mutating func flag(_ name: String) -> Bool {
        names.append(name)
        return true
    }
}
