/// What an owner calls an entry, as `X-ABLabel` says it.
///
/// Apple writes its own labels in brackets, `_$!<HomeFAX>!$_`, for each device
/// to translate. People see words in their place, never the brackets.
struct Label: Hashable {
    /// The word within the brackets, or all that was written.
    let word: String
    /// Whether it is one of Apple's, in brackets.
    let isBracketed: Bool

    init(_ text: String) {
        if text.hasPrefix("_$!<"), text.hasSuffix(">!$_"), text.utf8.count > 8 {
            (word, isBracketed) = (String(text.dropFirst(4).dropLast(4)), true)
        } else {
            (word, isBracketed) = (text, false)
        }
    }

    /// One of Apple's, with its brackets.
    static func bracketed(_ word: String) -> String { "_$!<\(word)>!$_" }

    /// The label in words for people: “Home page” for `HomePage`.
    var words: String {
        guard isBracketed else { return word }
        var words: [UInt8] = []
        var previous: UInt8 = 0
        for letter in word.utf8 {
            let isCapital = 0x41...0x5A ~= letter
            if isCapital, 0x61...0x7A ~= previous { words.append(.space) }
            words.append(isCapital && !words.isEmpty ? letter | 0x20 : letter)
            previous = letter
        }
        return String(decoding: words, as: UTF8.self)
    }

    /// The contexts that a label of Apple's says; none for what people wrote themselves.
    var contexts: Set<Card.Context> {
        guard isBracketed else { return [] }
        return switch word {
        case "Home", "HomeFAX": [.private]
        case "Work", "WorkFAX": [.work]
        default: []
        }
    }

    /// The features of a telephone that a label of Apple's says.
    var features: Set<Card.Phone.Feature> {
        guard isBracketed else { return [] }
        return switch word {
        case "Mobile", "iPhone": [.mobile]
        case "Main": [.mainNumber]
        case "HomeFAX", "WorkFAX", "OtherFAX": [.fax]
        case "Pager": [.pager]
        default: []
        }
    }

    /// What someone is by a label of Apple's (RFC 6350, section 6.6.6), and whether that is all that it says.
    var relation: (word: String, isAll: Bool)? {
        guard isBracketed else { return nil }
        return switch word {
        case "Spouse": ("spouse", true)
        case "Child": ("child", true)
        case "Friend": ("friend", true)
        case "Parent": ("parent", true)
        case "Son", "Daughter": ("child", false)
        case "Mother", "Father": ("parent", false)
        case "Brother", "Sister": ("sibling", false)
        default: nil
        }
    }
}
