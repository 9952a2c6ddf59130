/// An entry with contexts, such as home or work, and a preference.
protocol PlacedEntry: CardEntry {
    var contexts: Set<Card.Context> { get set }
    var pref: Int? { get set }
}

extension Card.Nickname: PlacedEntry {}
extension Card.SpeakToAs.Pronouns: PlacedEntry {}
extension Card.Language: PlacedEntry {}
