import Testing

/// What handles a field of the profile follows from its row in `Profile.allFields`, so few files name the field.
///
/// The test proves it for one field of the details and one of the summary: it lists every file of the sources in which
/// the name is an identifier or a string. A new field like them touches the same files, besides `openapi.json` and the
/// documentation. ArgumentParser finds options only as properties, so the command has to declare each.
@Suite("A new field of the profile") struct NewFieldTests {
    struct Example: CustomTestStringConvertible {
        let name: String
        let files: [String]
        /// Files, or folders, in which the name means something else, such as a property of Foundation.
        let others: [String]

        var testDescription: String { name }
    }

    static let examples = [
        Example(
            name: "timeZone",
            files: ["KithCommand/Network/ProfileEditing.swift", "KithModel/Records/Profile.swift"],
            others: [
                "Kith/Export/ZipArchive.swift", "Kith/Lists/Formats/TaskReader.swift",
                "KithAddressBook/Sources/CardDAV/RetryAfter.swift", "KithCards/", "KithCommand/Console/Date+Day.swift",
                "KithServer/Messages/EmailComposer.swift", "KithServer/Pages/PageValue.swift",
            ]),
        Example(
            name: "jobTitle",
            files: [
                "KithCommand/Network/ProfileEditing.swift", "KithModel/Records/NetworkContact.swift",
                "KithModel/Records/Profile.swift",
            ],
            others: ["KithCommand/Contacts/ContactChanges.swift"]),
    ]

    @Test("Touches two files if it is a detail, and three if it is in the summary", arguments: examples)
    func files(example: Example) {
        let naming = Self.files(naming: example.name)
        #expect(naming.filter { path in !example.others.contains { path.hasPrefix($0) } } == example.files)
        for other in example.others {
            #expect(naming.contains { $0.hasPrefix(other) }, "\(other) does not name \(example.name) any more.")
        }
    }

    @Test("Is named in code and in strings, but not in comments and in longer words")
    func names() {
        #expect(Self.isNaming("    case timeZone", "timeZone") && Self.isNaming("let a = \"timeZone\"", "timeZone"))
        #expect(!Self.isNaming("    /// timeZone", "timeZone") && !Self.isNaming("timeZones", "timeZone"))
    }

    private static func files(naming name: String) -> [String] {
        MannersTests.sources.filter { file in file.lines.contains { isNaming($0, name) } }
            .map { String($0.path.dropFirst("Sources/".count)) }
    }

    private static func isNaming(_ line: Substring, _ name: String) -> Bool {
        !Manners.isComment(line)
            && line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == name }
    }
}
