/// The default texts of invitations in English, German, French and Spanish. The user can edit them before sending.
package enum InvitationText {
    /// The languages that have texts, as tags (BCP 47).
    package static let languages = ["en", "de", "fr", "es"]

    /// The first of the wanted languages that has texts; English if none has.
    ///
    /// - Parameter wanted: Tags such as `de-AT`, best first.
    /// - Returns: One of ``languages``.
    package static func language(_ wanted: [String]) -> String {
        let known = wanted.lazy.map { String($0.prefix { $0 != "-" && $0 != "_" }).lowercased() }
            .first { languages.contains($0) }
        return known ?? "en"
    }

    /// The proposed text of an invitation. It does not contain the link, because the message adds it, nor the inviter's name,
    /// because an email adds it.
    ///
    /// - Parameters:
    ///   - listName: The list that the recipient is invited to; nil for none.
    ///   - wanted: Tags of languages, best first.
    /// - Returns: One or two sentences.
    package static func proposal(listName: String?, in wanted: [String]) -> String {
        switch (language(wanted), listName) {
        case ("de", let list?): "Ich möchte die Liste „\(list)“ mit dir teilen."
        case ("de", nil): "Ich möchte mich hier mit dir verbinden."
        case ("fr", let list?): "J’aimerais partager la liste « \(list) » avec toi."
        case ("fr", nil): "J’aimerais entrer en contact avec toi ici."
        case ("es", let list?): "Me gustaría compartir contigo la lista «\(list)»."
        case ("es", nil): "Me gustaría conectar contigo aquí."
        case (_, let list?): "I would like to share the list “\(list)” with you."
        case (_, nil): "I would like to connect with you here."
        }
    }

    /// The subject of a mail that the app sends itself.
    ///
    /// - Parameters:
    ///   - inviter: The inviter's name; nil if there is none.
    ///   - listName: The list that the recipient is invited to; nil for none.
    ///   - wanted: Tags of languages, best first.
    /// - Returns: One line.
    package static func subject(inviter: String?, listName: String?, in wanted: [String]) -> String {
        let name = inviter ?? somebody(in: wanted)
        return switch (language(wanted), listName) {
        case ("de", let list?): "\(name) lädt dich zur Liste „\(list)“ ein"
        case ("de", nil): "Einladung von \(name)"
        case ("fr", let list?): "\(name) t’invite à la liste « \(list) »"
        case ("fr", nil): "Invitation de \(name)"
        case ("es", let list?): "\(name) te invita a la lista «\(list)»"
        case ("es", nil): "Invitación de \(name)"
        case (_, let list?): "\(name) invites you to the list “\(list)”"
        case (_, nil): "An invitation from \(name)"
        }
    }

    /// The word for an inviter without a name.
    package static func somebody(in wanted: [String]) -> String {
        switch language(wanted) {
        case "de": "Jemand"
        case "fr": "Quelqu’un"
        case "es": "Alguien"
        default: "Somebody"
        }
    }
}
