/// One part of a card that a property of a vCard can say.
enum CardPart: Hashable {
    case uid, kind, language, productID, created, updated
    case fullName, name, grammaticalGender
    /// One of several, by its place in the card that was read.
    case entry(Family, Int)

    /// Whether the card has it once, and no object of JSContact's that could carry parameters.
    var isPlain: Bool {
        switch self {
        case .uid, .kind, .language, .productID, .created, .updated, .fullName, .grammaticalGender: true
        case .name, .entry: false
        }
    }

    /// The family of which it is an entry; nil if it is none.
    var family: Family? { if case .entry(let family, _) = self { family } else { nil } }

    /// Its place among the entries of a family; nil if it is none of them.
    func place(in family: Family) -> Int? { if case .entry(family, let place) = self { place } else { nil } }

    /// Several of a card that are alike: its emails.
    enum Family: UInt8, CaseIterable {
        case keyword, member
        case nickname, organization, title, pronouns
        case email, phone, onlineService, language, address
        case media, link, calendar, cryptoKey, directory, schedulingAddress
        case anniversary, note, relation, personalInfo

        /// The id of the entry at `place`, if its vCard gives it none.
        func id(at place: Int) -> String { place < 16 ? Self.ids[Int(rawValue)][place] : "\(prefix)\(place + 1)" }

        /// Whether `id` is one of those that are made from places.
        func makes(_ id: String) -> Bool {
            id.utf8.count > prefix.utf8.count && id.hasPrefix(prefix)
                && id.utf8.dropFirst(prefix.utf8.count).allSatisfy { 0x30...0x39 ~= $0 }
        }

        private static let ids = table.map { family in (1...16).map { "\(family.prefix)\($0)" } }

        private var prefix: String { row.prefix }
    }
}
