/// The words in which programs say that an item is done or open.
enum TickWord {
    /// Whether one of these texts says that an item is done.
    ///
    /// - Parameter texts: The most reliable one first. If it can be read, the others may be words of the user's own.
    /// - Returns: Also the reason if the first text can be neither read nor replaced by another one that says done.
    static func read(_ texts: [String]) -> (isTicked: Bool, reason: String?) {
        let answers = texts.map(isTicked)
        if answers.contains(true) { return (true, nil) }
        guard let text = texts.first, answers.first == .some(nil) else { return (false, nil) }
        return (false, "“\(text.shortened)” says neither done nor open; the item is kept as open.")
    }

    /// The meaning of a text; nil if it has none. A date is the time of completion.
    private static func isTicked(_ text: String) -> Bool? {
        let word = text.trimmed.lowercased()
        if done.contains(word) { return true }
        if open.contains(word) { return false }
        let dates = /\d{4}[-\/.]\d\d?[-\/.]\d\d?(\D.*)?|\d\d?[.\/]\d\d?[.\/]\d{2,4}(\D.*)?|\d{8}(t\d{4,6}z?)?/
        return word.wholeMatch(of: dates) == nil ? nil : true
    }

    private static let done: Set = [
        "true", "yes", "y", "1", "x", "✓", "✔", "☑", "done", "complete", "completed", "ticked", "checked", "closed",
        "finished", "resolved", "cancelled", "canceled", "archived", "100%",
        // Spreadsheets in other languages translate true and false, and people write their own yes and no.
        "wahr", "ja", "vrai", "oui", "verdadero", "sí", "si", "vero", "sì", "verdadeiro", "sim", "waar", "sant", "sand",
        "sann", "tosi", "kyllä", "prawda", "tak", "pravda", "ano", "igaz", "igen", "doğru", "evet", "adevărat", "da",
        "истина", "да",
    ]
    private static let open: Set = [
        "", "false", "no", "n", "0", "☐", "open", "todo", "to do", "to-do", "needs-action", "needs action",
        "not started", "in progress", "in-progress", "in-process", "pending", "unticked", "unchecked",
        "notstarted", "inprogress", "needsaction", "new", "active", "normal", "planned", "later", "waiting",
        "waiting on someone else", "deferred", "blocked", "on hold", "0%",
        "falsch", "nein", "faux", "non", "falso", "não", "onwaar", "nee", "falskt", "nej", "falsk", "usann", "nei",
        "epätosi", "ei", "fałsz", "nie", "nepravda", "ne", "hamis", "nem", "yanlış", "yanliş", "hayır", "fals", "nu",
        "ложь", "нет",
    ]
}
