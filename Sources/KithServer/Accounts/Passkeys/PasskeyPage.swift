package import Foundation

/// The web page on which a passkey is added or used, in the language of the browser.
///
/// WebAuthn works only in scripts. The page has one, which the server sends as a file of its own, so that the content
/// security policy permits no other.
package enum PasskeyPage {
    /// The script of the page.
    package static let script = Data(PackageResources.passkey_js)
    /// The style of the page.
    package static let style = Data(PackageResources.passkey_css)

    private struct Words {
        let adding, add, added, signingIn, signIn, signedIn: String
        let who, named, elsewhere, cancelled, unsupported, noScript: String
    }

    /// The page.
    ///
    /// - Parameters:
    ///   - service: The name of the service.
    ///   - accepted: The value of `Accept-Language`; nil if there is none.
    /// - Returns: The page, in UTF-8.
    package static func page(_ service: String, accepted: String?) -> Data {
        // Weights are not read, because browsers send the languages in the order of preference.
        let wanted = (accepted ?? "").split(separator: ",").map {
            String($0.trimmingCharacters(in: .whitespaces).prefix(2)).lowercased()
        }
        let language = wanted.first { languages[$0] != nil } ?? "en"
        let words = languages[language] ?? english
        let service = service.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return Data(
            """
            <!DOCTYPE html>
            <html lang="\(language)">
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <meta name="robots" content="noindex"><title>\(service)</title>
            <link rel="stylesheet" href="passkey.css"><script src="passkey.js" defer></script></head>
            <body>
            <h1>\(service)</h1>
            <noscript><p>\(words.noScript)</p></noscript>
            <p id="unsupported" hidden>\(words.unsupported)</p>
            <section id="who" hidden>
            <p>\(words.who) <strong class="place"></strong></p>
            <p id="named" hidden>\(words.named) <strong class="name"></strong></p>
            <p id="elsewhere" class="warning" hidden>\(words.elsewhere)</p>
            </section>
            <section id="adding" hidden><p>\(words.adding)</p><button type="button">\(words.add)</button></section>
            <section id="signing-in" hidden><p>\(words.signingIn)</p><button type="button">\(words.signIn)</button></section>
            <p id="adding-done" hidden>\(words.added)</p>
            <p id="signing-in-done" hidden>\(words.signedIn)</p>
            <p id="failed" role="alert" hidden><span id="reason"></span><span id="cancelled">\(words.cancelled)</span></p>
            </body>
            </html>

            """.utf8)
    }

    private static let english = Words(
        adding: "A passkey will be added to the account of that device.", add: "Add a passkey",
        added: "The passkey was added. You can close this page.",
        signingIn:
            "That device will be signed in to your account. Continue only if you have just started this yourself.",
        signIn: "Sign in with a passkey", signedIn: "The other device is signed in. You can close this page.",
        who: "The request comes from a device at the address", named: "Its name:",
        elsewhere: "That device is in a different network from this one. If somebody has sent you this page, close it.",
        cancelled: "No passkey was used.",
        unsupported: "This browser does not support passkeys. Open the page in another browser.",
        noScript: "Passkeys need JavaScript. Allow it for this page.")
    private static let languages = [
        "en": english,
        "de": Words(
            adding: "Dem Konto jenes Geräts wird ein Passkey hinzugefügt.", add: "Passkey hinzufügen",
            added: "Der Passkey ist hinzugefügt. Du kannst diese Seite schließen.",
            signingIn:
                "Jenes Gerät wird bei deinem Konto angemeldet. Fahre nur fort, wenn du das gerade selbst begonnen hast.",
            signIn: "Mit Passkey anmelden",
            signedIn: "Das andere Gerät ist angemeldet. Du kannst diese Seite schließen.",
            who: "Die Anfrage kommt von einem Gerät mit der Adresse", named: "Sein Name:",
            elsewhere:
                "Jenes Gerät ist in einem anderen Netz als dieses. Wenn dir jemand diese Seite geschickt hat, schließe sie.",
            cancelled: "Es wurde kein Passkey verwendet.",
            unsupported: "Dieser Browser unterstützt keine Passkeys. Öffne die Seite in einem anderen.",
            noScript: "Passkeys brauchen JavaScript. Erlaube es für diese Seite."),
        "fr": Words(
            adding: "Une clé d’accès sera ajoutée au compte de cet appareil.", add: "Ajouter une clé d’accès",
            added: "La clé d’accès est ajoutée. Vous pouvez fermer cette page.",
            signingIn:
                "Cet appareil sera connecté à votre compte. Ne continuez que si vous venez de le demander vous-même.",
            signIn: "Se connecter avec une clé d’accès",
            signedIn: "L’autre appareil est connecté. Vous pouvez fermer cette page.",
            who: "La demande vient d’un appareil à l’adresse", named: "Son nom :",
            elsewhere:
                "Cet appareil est sur un autre réseau que celui-ci. Si quelqu’un vous a envoyé cette page, fermez-la.",
            cancelled: "Aucune clé d’accès n’a été utilisée.",
            unsupported: "Ce navigateur ne prend pas en charge les clés d’accès. Ouvrez la page dans un autre.",
            noScript: "Les clés d’accès ont besoin de JavaScript. Autorisez-le pour cette page."),
        "es": Words(
            adding: "Se añadirá una llave de acceso a la cuenta de ese dispositivo.",
            add: "Añadir una llave de acceso", added: "La llave de acceso se ha añadido. Puedes cerrar esta página.",
            signingIn: "Ese dispositivo iniciará sesión en tu cuenta. Continúa solo si lo acabas de pedir tú.",
            signIn: "Iniciar sesión con una llave de acceso",
            signedIn: "El otro dispositivo ha iniciado sesión. Puedes cerrar esta página.",
            who: "La solicitud viene de un dispositivo en la dirección", named: "Su nombre:",
            elsewhere: "Ese dispositivo está en otra red que este. Si alguien te ha enviado esta página, ciérrala.",
            cancelled: "No se ha usado ninguna llave de acceso.",
            unsupported: "Este navegador no admite llaves de acceso. Abre la página en otro.",
            noScript: "Las llaves de acceso necesitan JavaScript. Permítelo en esta página."),
    ]
}
