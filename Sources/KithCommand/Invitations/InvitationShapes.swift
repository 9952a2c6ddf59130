import Foundation
import Kith
import KithModel

extension Invitation {
    /// The invitation for `--json`.
    var shape: Shape {
        var role: Role?
        if case .list(_, let offered) = purpose { role = offered }
        return [
            "id": id, "direction": direction, "recipient": recipient?.text, "purpose": purpose.word,
            "list": purpose.list, "listName": listName, "role": role, "text": text, "name": name,
            "language": language, "delivery": delivery, "status": status, "failure": failure?.reason.rawValue,
            "detail": failure?.detail, "notified": notified?.date, "expires": expires?.date, "peer": peer,
            "peerName": peerName, "modified": modified.date,
        ]
    }

    /// The purpose, in a few words. `names` are those of this device's lists, for a list that the server has not named yet.
    func offer(naming names: [ListID: String] = [:]) -> String {
        switch purpose {
        case .join: "to join"
        case .connect: "to connect"
        case .list(let list, let role):
            "to \((listName ?? names[list]).map { "“\($0)”" } ?? "a list") as \(role.rawValue)"
        }
    }

    /// Whether the user sends it, and has not reported yet whether it was sent.
    var isUnreported: Bool { status == .pending && direction == .sent && delivery == .device && !isRequested }

    /// The status, in a few words.
    var statusText: String {
        var words = status.rawValue
        if status == .pending, let expires, expires <= Timestamp(.now) { words = "expired" }
        if isUnreported {
            words = "not sent yet"
        } else if status == .pending, direction == .sent, delivery == .server, notified == nil {
            words = "being sent"
        }
        guard let failure, status == .failed || status == .pending else { return words }
        return "\(words): \(failure.words(sendingWith: "kith invite compose"))"
    }

    /// The other person, for a sentence.
    var called: String {
        (direction == .sent ? name ?? peerName ?? recipient?.shown : peerName) ?? "somebody"
    }

    /// Its names, and its purpose with the `names` of this device's lists.
    func nameable(naming names: [ListID: String]) -> Nameable<InvitationID> {
        Nameable(
            id: id, name: recipient?.shown ?? called, otherNames: [name, peerName].compactMap(\.self),
            distinction: offer(naming: names))
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

extension [Invitation] {
    /// The table of a listing, or the sentence for an empty one. `names` are those of this device's lists.
    func lines(ifNone empty: String, naming names: [ListID: String], colour: Bool) -> [String] {
        if isEmpty { return [empty] }
        let ids = ShortIDs(map(\.id))
        return Table(header: ["", "Who", "By", "Offer", "Status", "When", "Id"], self) { one in
            [
                one.direction == .sent ? "to" : "from", Table.Cell(one.called),
                Table.Cell(one.recipient?.shown == one.called ? "" : one.recipient?.shown ?? "", .faint),
                Table.Cell(one.offer(naming: names)), Table.Cell(one.statusText),
                Table.Cell(one.notified?.date.day ?? "", .faint),
                Table.Cell(ids[one.id], .faint),
            ]
        }.lines(colour: colour)
    }

    /// How to report that an invitation was sent, if the user has yet to do that.
    var reportAdvice: [String] {
        let unreported = filter(\.isUnreported)
        guard let first = unreported.first?.recipient else { return [] }
        let (what, whose) = unreported.count == 1 ? ("it", first.shown) : ("one", "ADDRESS")
        return ["When you have sent \(what): kith invite report \(whose)".printable]
    }
}

extension KithClient {
    /// The names of the current account's lists.
    func namesOfLists() async throws -> [ListID: String] {
        Dictionary(uniqueKeysWithValues: try await lists.all().map { ($0.id, $0.name) })
    }

    /// The invitation that `text` names by its id, an address, a number or a name. Those that `fits` accepts take precedence,
    /// and among them those that `isBetter` accepts.
    func invitation(
        named text: String, where fits: (Invitation) -> Bool = { _ in true },
        preferring isBetter: (Invitation) -> Bool = { _ in true }
    ) async throws -> Invitation {
        let (all, names) = (try await invitations.all(), try await namesOfLists())
        let fitting = all.filter(fits)
        let likely = [fitting.filter(isBetter), fitting].first {
            !Reference(text).fitting(among: $0.map { $0.nameable(naming: names) }).isEmpty
        }
        return try Reference(text).find(in: likely ?? all, kind: "invitation") { $1.nameable(naming: names) }
    }
}
