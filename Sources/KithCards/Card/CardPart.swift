/// A part of a card that a vCard property can hold.
enum CardPart: Hashable {
    case uid, kind, language, productID, created, updated
    case fullName, name, grammaticalGender
    /// An entry of a family, by its index in the card that was read.
    case entry(Family, Int)

    /// Whether it has a single value, and no JSContact object that could carry parameters.
    var isPlain: Bool {
        switch self {
        case .uid, .kind, .language, .productID, .created, .updated, .fullName, .grammaticalGender: true
        case .name, .entry: false
        }
    }

    /// Its family; nil if it is no entry.
    var family: Family? { if case .entry(let family, _) = self { family } else { nil } }

    /// Its index in a family; nil if it is no entry of that family.
    func place(in family: Family) -> Int? { if case .entry(family, let place) = self { place } else { nil } }

    /// A family of similar parts, such as emails.
    enum Family: UInt8, CaseIterable {
        case keyword, member
        case nickname, organization, title, pronouns
        case email, phone, onlineService, language, address
        case media, link, calendar, cryptoKey, directory, schedulingAddress
        case anniversary, note, relation, personalInfo

        /// The id of the entry at index `place`, if its vCard gives it none.
        func id(at place: Int) -> String { place < 16 ? Self.ids[Int(rawValue)][place] : "\(prefix)\(place + 1)" }

        /// Whether `id` has the form of an id made from an index.
        func makes(_ id: String) -> Bool {
            id.utf8.count > prefix.utf8.count && id.hasPrefix(prefix)
                && id.utf8.dropFirst(prefix.utf8.count).allSatisfy(\.isDigit)
        }

        private static let ids = table.map { family in (1...16).map { "\(family.prefix)\($0)" } }

        private var prefix: String { row.prefix }
    }
}
