/// Which words of TYPE, and which number of PREF, the model has words for.
struct WordKinds: OptionSet {
    let rawValue: UInt8

    static let contexts = WordKinds(rawValue: 1)
    static let features = WordKinds(rawValue: 2)
    static let preference = WordKinds(rawValue: 4)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Those that the model has words for where a property says this part.
    init(of part: CardPart) {
        switch part.family {
        case .phone: self = [.contexts, .features, .preference]
        case .nickname, .pronouns, .email, .onlineService, .language, .address, .media, .link, .calendar, .cryptoKey,
            .directory, .schedulingAddress:
            self = [.contexts, .preference]
        case .organization: self = .contexts
        case .keyword, .member, .title, .anniversary, .note, .relation, .personalInfo, nil: self = []
        }
    }
}
