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
        // The order of the header is the order of preference in practice; weights are not read.
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
        who: "A device asks at the address", named: "Its name:",
        elsewhere: "That device is in another network than this one. If somebody has sent you this page, close it.",
        cancelled: "No passkey was used.", unsupported: "This browser has no passkeys. Open the page in another one.",
        noScript: "Browsers use passkeys only from scripts. Allow this page its script.")
    private static let languages = [
        "en": english,
        "de": Words(
            adding: "Dem Konto jenes Geräts wird ein Passkey hinzugefügt.", add: "Passkey hinzufügen",
            added: "Der Passkey ist hinzugefügt. Du kannst diese Seite schließen.",
            signingIn:
                "Jenes Gerät wird bei deinem Konto angemeldet. Fahre nur fort, wenn du das gerade selbst begonnen hast.",
            signIn: "Mit Passkey anmelden",
            signedIn: "Das andere Gerät ist angemeldet. Du kannst diese Seite schließen.",
            who: "Es fragt ein Gerät an der Adresse", named: "Sein Name:",
            elsewhere:
                "Jenes Gerät ist in einem anderen Netz als dieses. Hat dir jemand diese Seite geschickt, dann schließe sie.",
            cancelled: "Es wurde kein Passkey verwendet.",
            unsupported: "Dieser Browser kennt keine Passkeys. Öffne die Seite in einem anderen.",
            noScript: "Browser verwenden Passkeys nur aus Skripten. Erlaube dieser Seite ihr Skript."),
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
            unsupported: "Ce navigateur ne connaît pas les clés d’accès. Ouvrez la page dans un autre.",
            noScript: "Les navigateurs n’utilisent les clés d’accès que par un script. Autorisez celui de cette page."),
        "es": Words(
            adding: "Se añadirá una llave de acceso a la cuenta de ese dispositivo.",
            add: "Añadir una llave de acceso", added: "La llave de acceso se ha añadido. Puedes cerrar esta página.",
            signingIn: "Ese dispositivo iniciará sesión en tu cuenta. Continúa solo si lo acabas de pedir tú.",
            signIn: "Iniciar sesión con una llave de acceso",
            signedIn: "El otro dispositivo ha iniciado sesión. Puedes cerrar esta página.",
            who: "Lo pide un dispositivo en la dirección", named: "Su nombre:",
            elsewhere: "Ese dispositivo está en otra red que este. Si alguien te ha enviado esta página, ciérrala.",
            cancelled: "No se ha usado ninguna llave de acceso.",
            unsupported: "Este navegador no tiene llaves de acceso. Abre la página en otro.",
            noScript: "Los navegadores solo usan llaves de acceso desde un script. Permite el de esta página."),
    ]
}
