/// An entry that has its place in someone's life: at home or at work, before or after others.
protocol PlacedEntry: CardEntry {
    var contexts: Set<Card.Context> { get set }
    var pref: Int? { get set }
}

extension Card.Nickname: PlacedEntry {}
extension Card.SpeakToAs.Pronouns: PlacedEntry {}
extension Card.Language: PlacedEntry {}
