extension Card.Context {
    /// The context that a word of TYPE, in small letters, stands for.
    init?(typeWord word: String) {
        switch word {
        case "home": self = .private
        case "work": self = .work
        case "billing": self = .billing
        case "delivery": self = .delivery
        default: return nil
        }
    }

    /// The word of TYPE that stands for it.
    var typeWord: String { self == .private ? "home" : rawValue }
}

extension Card.Phone.Feature {
    /// The feature that a word of TYPE, in small letters, stands for.
    init?(typeWord word: String) {
        switch word {
        case "cell", "mobile", "iphone": self = .mobile
        case "main": self = .mainNumber
        default: self.init(rawValue: word)
        }
    }

    /// The word of TYPE that stands for it.
    var typeWord: String { self == .mobile ? "cell" : rawValue }
}
