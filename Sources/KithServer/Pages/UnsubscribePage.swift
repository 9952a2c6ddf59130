/// The web pages with which a recipient unsubscribes, and takes that back.
///
/// Each page has a button, because scanners of links open every link of a message. Its form goes to the page's own address.
package enum UnsubscribePage {
    /// The page that asks whether the recipient wants to unsubscribe.
    package static func question(_ kind: MessageKind) -> Page {
        page(kind, "\(name(kind))Question", isSubscribed: true)
    }

    /// The page for a recipient who has unsubscribed.
    package static func done(_ kind: MessageKind) -> Page {
        page(kind, "\(name(kind))Done", isSubscribed: false)
    }

    /// The page for a recipient who has taken that back.
    package static func again(_ kind: MessageKind) -> Page {
        page(kind, "again", isSubscribed: true)
    }

    private static func page(_ kind: MessageKind, _ text: String, isSubscribed: Bool) -> Page {
        let heading = PageValue.phrase("unsubscribe.\(name(kind))")
        return Page(
            .unsubscribe, title: heading,
            [
                "heading": heading, "text": .phrase("unsubscribe.\(text)"), "again": .flag(!isSubscribed),
                "button": .phrase("unsubscribe.\(isSubscribed ? "\(name(kind))Button" : "againButton")"),
            ])
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
