import Foundation
import Kith
import KithModel

extension Invitation {
    /// The invitation for `--json`.
    func shape() -> Shape {
        var role: Role?
        if case .list(_, let offered) = purpose { role = offered }
        return [
            "id": id, "direction": direction, "recipient": recipient.text, "purpose": purpose.word,
            "list": purpose.list, "listName": listName, "role": role, "text": text, "name": name,
            "language": language, "delivery": delivery, "status": status, "failure": failure?.reason.rawValue,
            "detail": failure?.detail, "notified": notified?.date, "expires": expires?.date, "peer": peer,
            "peerName": peerName, "modified": modified.date,
        ]
    }

    /// What the recipient is invited to, in a few words.
    var offer: String {
        switch purpose {
        case .join: "to join"
        case .connect: "to connect"
        case .list(_, let role): "“\(listName ?? "a list")” as \(role.rawValue)"
        }
    }

    /// What has become of it, in a few words.
    func standing(at now: Timestamp = Timestamp(Date())) -> String {
        var words = status.rawValue
        if status == .pending, let expires, expires <= now { words = "expired" }
        if status == .pending, direction == .sent, notified == nil { words = "being sent" }
        guard let failure, status == .failed || status == .pending else { return words }
        return "\(words): \(failure.words)"
    }

    /// The other person, for a sentence.
    var called: String { direction == .sent ? name ?? peerName ?? recipient.shown : peerName ?? "somebody" }

    var nameable: Nameable<InvitationID> {
        Nameable(
            id: id, name: recipient.shown, otherNames: [name, peerName].compactMap(\.self), distinction: offer)
    }
}

extension Invitation.Purpose {
    fileprivate var word: String {
        switch self {
        case .join: "join"
        case .connect: "connect"
        case .list: "list"
        }
    }
}

extension Invitation.Failure {
    /// The reason for people.
    var words: String {
        let sentence: String? =
            switch reason {
            case .optedOut: "they want no more invitations"
            case .recipientLimit: "they have received too many messages today"
            case .senderLimit: "you have sent too many today"
            case .budget: "the server has sent too many messages today"
            case .badRecipient: "no message can be delivered there"
            case .refused: "it was refused"
            case .expired: "it could not be delivered in time"
            case .undelivered: "it was not delivered"
            case .unsupported: "this server sends no SMS there; send it yourself: kith invite compose"
            case .yourself: "it is you"
            case .noList: "the list is gone, or its owner is another person"
            case .full: "there is no room left"
            case .linkExpired: "it has expired, or was revoked"
            default: nil
            }
        return [sentence ?? reason.rawValue, detail.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")
    }
}

extension [Invitation] {
    /// The table of a listing, or the sentence for an empty one.
    func lines(ifNone empty: String, colour: Bool) -> [String] {
        if isEmpty { return [empty] }
        let ids = ShortIDs(map(\.id))
        var table = Table(header: ["", "Who", "By", "Offer", "Status", "Sent", "Id"])
        for one in self {
            table.add([
                one.direction == .sent ? "to" : "from", Table.Cell(one.called),
                Table.Cell(one.recipient.shown == one.called ? "" : one.recipient.shown, .faint),
                Table.Cell(one.offer), Table.Cell(one.standing()), Table.Cell(one.notified?.date.day ?? "", .faint),
                Table.Cell(ids[one.id], .faint),
            ])
        }
        return table.lines(colour: colour)
    }
}

/// Finds the invitation that a user names.
extension CommandContext {
    /// The invitation called `text`, by its id, the address, or a name: of those that `fits` accepts, or else of all.
    func invitation(_ text: String, where fits: (Invitation) -> Bool = { _ in true }) async throws -> Invitation {
        let all = try await client.invitations.all()
        let likely = all.filter(fits)
        let isLikely = !Reference(text).fitting(among: likely.map(\.nameable)).isEmpty
        let names = (isLikely ? likely : all).map(\.nameable)
        let found = try Reference(text).resolve(among: names, kind: "invitation")
        return try known(all.first { $0.id == found.id }, "invitation", text)
    }
}
