package import Foundation

/// The web pages with which a recipient unsubscribes: plain HTML without scripts, in the language of the browser.
///
/// The first page has a button, because scanners of links open every link of a message.
package enum UnsubscribePage {
    private struct Words {
        let title, question, button, done: String
    }

    /// The page with the button. Its form goes to its own address.
    ///
    /// - Parameters:
    ///   - service: The name of the service.
    ///   - kind: The kind of message to unsubscribe from.
    ///   - accepted: The value of `Accept-Language`; nil if there is none.
    /// - Returns: The page, in UTF-8.
    package static func question(_ service: String, _ kind: MessageKind, accepted: String?) -> Data {
        let (language, words) = words(kind, accepted)
        return page(
            language, service, words.title,
            """
            <p>\(words.question)</p>
            <form method="post"><button type="submit">\(words.button)</button></form>
            """)
    }

    /// The page after the button was pressed.
    package static func done(_ service: String, _ kind: MessageKind, accepted: String?) -> Data {
        let (language, words) = words(kind, accepted)
        return page(language, service, words.title, "<p>\(words.done)</p>")
    }

    private static func page(_ language: String, _ service: String, _ title: String, _ body: String) -> Data {
        let service = service.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return Data(
            """
            <!DOCTYPE html>
            <html lang="\(language)">
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <meta name="robots" content="noindex"><title>\(service): \(title)</title></head>
            <body style="font-family: sans-serif; line-height: 1.5; max-width: 36em; margin: 2em auto; padding: 0 1em">
            <h1>\(service)</h1>
            \(body)
            </body>
            </html>

            """.utf8)
    }

    private static func words(_ kind: MessageKind, _ accepted: String?) -> (language: String, words: Words) {
        let table = kind == .joined ? joined : invitations
        // The order of the header is the order of preference in practice; weights are not read.
        let wanted = (accepted ?? "").split(separator: ",").map {
            String($0.trimmingCharacters(in: .whitespaces).prefix(2)).lowercased()
        }
        let language = wanted.first { table[$0] != nil } ?? MessageTemplates.fallback
        return (language, table[language] ?? english)
    }

    private static let english = Words(
        title: "Invitations", question: "Do you want no more invitations at this address?",
        button: "No more invitations", done: "You will receive no more invitations at this address.")
    private static let invitations = [
        "en": english,
        "de": Words(
            title: "Einladungen", question: "Möchtest du an diese Adresse keine Einladungen mehr bekommen?",
            button: "Keine Einladungen mehr", done: "Du bekommst an diese Adresse keine Einladungen mehr."),
        "fr": Words(
            title: "Invitations", question: "Ne plus recevoir d’invitations à cette adresse ?",
            button: "Ne plus recevoir d’invitations", done: "Vous ne recevrez plus d’invitations à cette adresse."),
        "es": Words(
            title: "Invitaciones", question: "¿No quieres recibir más invitaciones en esta dirección?",
            button: "No recibir más invitaciones", done: "No recibirás más invitaciones en esta dirección."),
    ]
    private static let joined = [
        "en": Words(
            title: "New people", question: "Do you want no more messages about people who join, at this address?",
            button: "No more of these messages", done: "You will receive no more messages about people who join."),
        "de": Words(
            title: "Neue Mitglieder",
            question: "Möchtest du an diese Adresse keine Nachrichten über neue Mitglieder mehr bekommen?",
            button: "Keine solchen Nachrichten mehr", done: "Du bekommst keine Nachrichten über neue Mitglieder mehr."),
        "fr": Words(
            title: "Nouveaux membres",
            question: "Ne plus recevoir de messages sur les nouveaux membres à cette adresse ?",
            button: "Ne plus recevoir ces messages", done: "Vous ne recevrez plus de messages sur les nouveaux membres."
        ),
        "es": Words(
            title: "Nuevas personas",
            question: "¿No quieres recibir más mensajes sobre nuevas personas en esta dirección?",
            button: "No recibir más estos mensajes", done: "No recibirás más mensajes sobre nuevas personas."),
    ]
}
