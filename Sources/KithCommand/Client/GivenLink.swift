import Foundation
import Kith

/// A link that was given to a command.
enum GivenLink {
    /// Checks that a link is one for this command. A text that is no whole link, such as a token, is not checked.
    ///
    /// - Throws: ``Failure`` that names the command for the link.
    static func check(_ text: String, for kinds: KithLink.Kind...) throws {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let link = URL(string: text).flatMap({ KithLink($0) }), !kinds.contains(link.kind) else { return }
        let (what, command) = description(of: link.kind)
        throw Failure(.usage, "invalid", "This link is \(what). The command for it: kith \(command)")
    }

    private static func description(of kind: KithLink.Kind) -> (what: String, command: String) {
        switch kind {
        case .list: ("an invitation to a list", "lists accept LINK")
        case .invitation: ("an invitation to one person", "invite open LINK")
        case .publicList: ("for reading a list", "lists read LINK")
        case .pairing: ("the QR code of another device", "session join LINK")
        case .share: ("one with the code of somebody who shares", "share use LINK")
        }
    }
}
