/// A property of a vCard as it is read into a card: its value, and what its parameters say of it.
struct CardProperty {
    let property: VCard.Property
    let name: VCard.PropertyName
    /// Its place in the vCard.
    let index: Int
    /// Its contexts, features and preference.
    let words: TypeWords
    /// All of its parameters, if there are others than TYPE and PREF.
    let parameters: VCard.Parameters

    init(_ property: VCard.Property, _ name: VCard.PropertyName, at index: Int) {
        (self.property, self.name, self.index) = (property, name, index)
        words = TypeWords(of: property)
        parameters = words.hasOtherParameters ? property.parameters : [:]
    }

    /// What holds it together with others, in small letters: groups differ by more than the case of these.
    var group: String? { property.group?.lowercased() }

    /// The value as one text, without blanks around it.
    var text: String { property.text.trimmed }

    /// The first value of a parameter but TYPE and PREF, if it is not empty.
    subscript(parameter: String) -> String? {
        guard words.hasOtherParameters, let value = parameters[parameter].first?.trimmed, !value.isEmpty else {
            return nil
        }
        return value
    }

    /// What the value is, where the property says so: `uri`, in small letters.
    var valueType: String? { self["VALUE"]?.lowercased() }

    /// PROP-ID, if JSContact takes it for an id (RFC 9553, section 1.4.1).
    var id: String? { self["PROP-ID"].flatMap { Self.isID($0) ? $0 : nil } }

    /// The words of TYPE that say no context and no preference, as they are written.
    var types: [String] {
        guard words.hasOtherWords || !words.features.isEmpty else { return [] }
        return property.parameters["TYPE"].filter { word in
            let word = word.lowercased()
            return word != "pref" && Card.Context(typeWord: word) == nil
        }
    }

    static func isID(_ text: String) -> Bool {
        1...255 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// An entry that has its place in someone's life: at home or at work, before or after others.
protocol PlacedEntry: CardEntry {
    var contexts: Set<Card.Context> { get set }
    var pref: Int? { get set }
}

extension Card.Nickname: PlacedEntry {}
extension Card.SpeakToAs.Pronouns: PlacedEntry {}

extension Card.Language: PlacedEntry {}

/// A placed entry that its owner can call something.
protocol LabelledEntry: PlacedEntry {
    var label: String? { get set }
}

extension Card.Email: LabelledEntry {}
extension Card.Phone: LabelledEntry {}
extension Card.OnlineService: LabelledEntry {}
extension Card.Address: LabelledEntry {}
extension Card.Resource: LabelledEntry {}
