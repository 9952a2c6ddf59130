import Foundation
import Kith
import KithModel
import KithServer

/// Checks the relations between people by the records of both on the server, and who receives the presence of others.
final class PeopleAuditor {
    /// The pairs of people who were connected at any time.
    private var everConnected: Set<Pair> = []

    /// The fields by which one person alone decides about another.
    private static let own = ["isBlocked", "mutedFrom", "mutedUntil"]

    /// Whether one person wants to be connected with another.
    private static func isWish(_ contact: Fields) -> Bool {
        ["connect", "accept"].contains(contact["wish"]?.text)
    }

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
        let people = Set(after.keys.flatMap { [$0.owner, $0.other] })
        let existing = try people.filter { try world.accountExists($0) }
        for (pair, fields) in after {
            let contact = NetworkContact(id: pair.other, fields, modified: world.time)
            let back = after[Pair(owner: pair.other, other: pair.owner)]
            let bothExist = existing.contains(pair.other) && existing.contains(pair.owner)
            if Self.isWish(fields), back == nil, bothExist {
                throw world.fail(
                    .convergence,
                    "\(pair.owner) wants to be connected with \(pair.other), who has no word of it")
            }
            if contact.relation == .none && !contact.isBlocked,
                let name = NetworkContact.summary.first(where: { fields[$0] != nil })
            {
                throw world.fail(.walls, "\(pair.owner) keeps “\(name)” of \(pair.other), who is nothing to them")
            }
            let isWanted = back.map(Self.isWish) ?? false
            if bothExist, isWanted != (fields["asked"] != nil) {
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

    // MARK: Presence

    /// Notes which people are connected.
    func noteConnections(_ contacts: [Pair: Fields], in world: World) {
        for (pair, fields) in contacts {
            let contact = NetworkContact(id: pair.other, fields, modified: world.time)
            if contact.relation == .connected { everConnected.insert(pair) }
        }
    }

    /// Law 8: nobody is told that a person is online if they were never connected.
    func judgeNews(_ event: PresenceEvent, to stream: SimulatedStream, in world: World) throws {
        for person in event.people where person.presence.map({ $0.state != .offline }) ?? false {
            if everConnected.contains(Pair(owner: stream.account, other: person.account)) { continue }
            throw world.fail(
                .walls,
                "\(stream.account) is told that \(person.account) is there, but they were never connected")
        }
    }

    /// After everything was passed on, each live stream has reported the presence of everyone in the account's network.
    /// People who hide their presence or have blocked the account look offline.
    private func judgePresence(in world: World) throws {
        for stream in world.liveStreams.streams {
            let contacts = try stream.server.database.contacts()
            for (pair, fields) in contacts where pair.owner == stream.account {
                let contact = NetworkContact(id: pair.other, fields, modified: world.time)
                guard contact.relation == .connected, !contact.isBlocked else { continue }
                let state = try presence(of: pair.other, to: stream, contacts, in: world)
                let device = world.devices[stream.device]
                if device.board.presence(of: pair.other)?.state == state { continue }
                throw world.fail(
                    .convergence,
                    "\(pair.other) is \(state) to \(pair.owner), and \(device.name) shows \(String(describing: device.board.presence(of: pair.other)))"
                )
            }
        }
    }

    /// The presence of `account` that a stream should have reported, computed from all streams and the relation of the
    /// two.
    private func presence(
        of account: AccountID, to stream: SimulatedStream, _ contacts: [Pair: Fields], in world: World
    ) throws -> Presence.State {
        let theirs = contacts[Pair(owner: account, other: stream.account)] ?? [:]
        let isBlocked = NetworkContact(id: stream.account, theirs, modified: world.time).isBlocked
        let profile = try stream.server.database.profile(of: account)
        if isBlocked || Profile.Part.presence.visibility(in: profile) < .network { return .offline }
        let streams = world.liveStreams.streams.filter { $0.account == account && $0.server === stream.server }
        let states = streams.map(\.state)
        if states.contains(.invisible) { return .offline }
        return [.busy, .online, .away].first(where: states.contains) ?? .offline
    }
}
