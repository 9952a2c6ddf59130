import Foundation
import Kith
import KithModel
import KithServer

/// Checks the relations between people by the records of both on the server.
final class PeopleAuditor {
    /// The pairs of people who were connected at any time.
    var everConnected: Set<Pair> = []

    /// The fields by which one person alone decides about another.
    private static let own = ["isBlocked", "mutedFrom", "mutedUntil"]

    /// A change by `author` (nil for the server) leaves the blocks and mutes of other people as they were. It can at
    /// most end what others wish.
    func judge(
        _ before: [Pair: Fields], _ after: [Pair: Fields], by author: AccountID?, in world: World
    ) throws {
        for (pair, old) in before where pair.owner != author {
            guard let new = after[pair] else { continue }
            for name in Self.own where old[name] != new[name] {
                throw world.fail(.walls, "\(name) of \(pair.other) at \(pair.owner) was changed by somebody else")
            }
            let wish = new["wish"] ?? "none"
            if old["wish"] ?? "none" != wish && wish != "none" {
                throw world.fail(.walls, "somebody else wants \(wish) of \(pair.other) for \(pair.owner)")
            }
        }
        for (pair, fields) in after {
            let contact = NetworkContact(id: pair.other, fields, modified: world.time)
            let isHeard = after[Pair(owner: pair.other, other: pair.owner)] != nil
            if ["connect", "accept"].contains(fields["wish"]?.text ?? "none"), !isHeard,
                try world.accountExists(pair.other), try world.accountExists(pair.owner)
            {
                throw world.fail(
                    .convergence,
                    "\(pair.owner) wants to be connected with \(pair.other), who has no word of it")
            }
            if contact.relation == .none && !contact.isBlocked,
                let name = NetworkContact.summary.first(where: { fields[$0] != nil })
            {
                throw world.fail(.walls, "\(pair.owner) keeps “\(name)” of \(pair.other), who is nothing to them")
            }
            let back = after[Pair(owner: pair.other, other: pair.owner)]
            let isWanted = ["connect", "accept"].contains(back?["wish"]?.text ?? "none")
            guard try world.accountExists(pair.other), try world.accountExists(pair.owner) else { continue }
            if isWanted != (fields["asked"] != nil) {
                throw world.fail(
                    .convergence,
                    "\(pair.owner) \(isWanted ? "is not told" : "is still told") that \(pair.other) wants to be connected"
                )
            }
        }
    }

    /// The checks at the end, when everything was passed on.
    func judgeTheEnd(of world: World) throws {
        try judgeSummaries(in: world)
        try judgePresence(in: world)
    }

    /// Each person sees exactly what the others let them see, and nobody has a contact with a deleted account.
    private func judgeSummaries(in world: World) throws {
        let contacts = try world.servers.flatMap { try $0.database.contacts() }
        for (pair, fields) in contacts {
            guard try world.accountExists(pair.owner) else { continue }
            guard try world.accountExists(pair.other) else {
                throw world.fail(.convergence, "\(pair.owner) still has \(pair.other), who was deleted")
            }
            let contact = NetworkContact(id: pair.other, fields, modified: world.time)
            let profile = try world.home(of: pair.other).database.profile(of: pair.other)
            let isShown = contact.relation != .none || contact.isBlocked
            let shown = isShown ? Profile.shown(profile, toNetwork: contact.relation == .connected) : [:]
            for name in NetworkContact.summary where shown[name] != fields[name] {
                throw world.fail(
                    .convergence,
                    "\(pair.owner) has “\(name)” of \(pair.other) as \(String(describing: fields[name])), not as \(String(describing: shown[name]))"
                )
            }
        }
    }
}
