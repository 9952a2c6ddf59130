import Kith
import KithModel
import KithServer

/// Checks who receives the presence of another person.
extension PeopleAuditor {
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
    func judgePresence(in world: World) throws {
        for stream in world.streams {
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
        let states = world.streams.filter { $0.account == account && $0.server === stream.server }.map(\.state)
        if states.contains(.invisible) { return .offline }
        return [.busy, .online, .away].first(where: states.contains) ?? .offline
    }
}
