/// The web pages with which a recipient unsubscribes.
///
/// The first page has a button, because scanners of links open every link of a message.
package enum UnsubscribePage {
    /// The page with the button. Its form goes to its own address.
    package static func question(_ kind: MessageKind) -> Page {
        page(kind, text: "Question", button: .phrase("unsubscribe.\(name(kind))Button"))
    }

    /// The page after the button was pressed.
    package static func done(_ kind: MessageKind) -> Page { page(kind, text: "Done", button: nil) }

    private static func page(_ kind: MessageKind, text: String, button: PageValue?) -> Page {
        let heading = PageValue.phrase("unsubscribe.\(name(kind))")
        var values = ["heading": heading, "text": .phrase("unsubscribe.\(name(kind))\(text)")]
        values["button"] = button
        return Page(.unsubscribe, title: heading, values)
    }

    /// The name of the kind in the texts. Only invitations, shares and notices of people who join can be unsubscribed.
    private static func name(_ kind: MessageKind) -> String {
        switch kind {
        case .joined: "joined"
        case .share: "share"
        default: "invitation"
        }
    }
}
