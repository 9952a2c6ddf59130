/// The owner's label of an entry, from `X-ABLabel`.
///
/// Apple writes its predefined labels in brackets, `_$!<HomeFAX>!$_`, so that each device can translate them. People
/// see the words without the brackets.
struct Label: Hashable {
    /// The word inside the brackets, or the whole text.
    let word: String
    /// Whether it is one of Apple's predefined labels, in brackets.
    let isBracketed: Bool

    init(_ text: String) {
        if text.hasPrefix("_$!<"), text.hasSuffix(">!$_"), text.utf8.count > 8 {
            (word, isBracketed) = (String(text.dropFirst(4).dropLast(4)), true)
        } else {
            (word, isBracketed) = (text, false)
        }
    }

    /// The predefined label `word`, in Apple's brackets.
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

    /// The contexts that a predefined label stands for; none for a label that someone typed.
    var contexts: Set<Card.Context> {
        guard isBracketed else { return [] }
        return switch word {
        case "Home", "HomeFAX": [.private]
        case "Work", "WorkFAX": [.work]
        default: []
        }
    }

    /// The telephone features that a predefined label stands for.
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

    /// The relation that a predefined label stands for (RFC 6350, section 6.6.6), and whether that is its whole
    /// meaning: a `Daughter` is a `child`, but not every child is a daughter.
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
