import Foundation
import Kith
import KithModel
import KithServer

/// The live streams of a world, over which the presence of people arrives in order until the streams break.
final class LiveStreams {
    /// The streams that their servers have not closed yet.
    private(set) var streams: [SimulatedStream] = []
    private var lastStream = 0
    /// Reads that servers have to do about people who are online.
    private var questions: [CircleQuestion] = []
    private unowned let world: World

    init(in world: World) { self.world = world }

    /// A device opens its stream, sets its presence, or loses the stream.
    func use(_ index: Int) throws {
        guard let place = streams.firstIndex(where: { $0.device == index && isHeard($0) }) else {
            return try openStream(index)
        }
        let state = randomState()
        let stream = streams[place]
        guard !world.random.oneIn(3) else {
            world.note("\(world.devices[index].name): loses its live stream")
            return lose(stream)
        }
        world.note("\(world.devices[index].name): wants to be \(state)")
        _ = stream.server.presence.set(state, of: stream.account, stream.identity, at: world.time(on: stream.server))
        setState(state, as: stream)
    }

    /// A choice of presence counts for all streams with one identity, which copies of a device can share.
    private func setState(_ state: Presence.State, as one: SimulatedStream) {
        for place in streams.indices where streams[place].account == one.account {
            if streams[place].identity == one.identity, streams[place].server === one.server {
                streams[place].state = state
            }
        }
    }

    private func openStream(_ index: Int) throws {
        let device = world.devices[index]
        let account = try device.content().account
        guard account.state == .anonymous, let id = account.id, try world.accountExists(id) else { return }
        let server = world.home(of: id)
        guard server.version.knows(.contacts) else { return }
        lastStream += 1
        let stream = SimulatedStream(
            id: lastStream, server: server, account: id, device: index, identity: account.device, state: randomState())
        setState(stream.state, as: stream)
        streams.append(stream)
        world.note("\(device.name): opens a live stream, \(stream.state)")
        device.stream = stream.id
        device.board.begin(account.device)
        _ = server.presence.open(stream.id, of: id, account.device, as: stream.state, at: world.time(on: server))
        ask([id], on: server)
    }

    private func randomState() -> Presence.State {
        [.online, .away, .busy, .invisible].randomElement(using: &world.random) ?? .online
    }

    /// Whether the device still receives the stream.
    private func isHeard(_ stream: SimulatedStream) -> Bool {
        let device = world.devices[stream.device]
        guard !device.isLost, device.stream == stream.id, let account = try? device.content().account else {
            return false
        }
        return account.id == stream.account && account.device == stream.identity && account.state == .anonymous
    }

    // MARK: What servers do after commits

    /// Notes that the circles of these accounts may have changed.
    func ask(_ accounts: Set<AccountID>, on server: SimulatedServer) {
        for (account, number) in server.presence.ask(accounts).sorted(by: { $0.key < $1.key }) {
            questions.append(CircleQuestion(server: server, account: account, number: number))
        }
    }

    /// Breaks a stream on the device's side. The server notices that later.
    private func lose(_ stream: SimulatedStream) {
        let device = world.devices[stream.device]
        guard device.stream == stream.id else { return }
        device.stream = nil
        _ = device.board.end(stream.identity)
    }

    /// Ends the streams of an account on the server.
    func end(of account: AccountID) {
        for stream in streams where stream.account == account {
            lose(stream)
            close(stream)
        }
    }

    /// Ends all streams of a server that has crashed.
    func breakAll(of server: SimulatedServer) {
        for stream in streams where stream.server === server { lose(stream) }
        streams.removeAll { $0.server === server }
        questions.removeAll { $0.server === server }
        server.presence = PresenceRegister()
    }

    /// Performs one waiting read or delivers one waiting event, in random order.
    func carry() throws {
        if let place = questions.indices.randomElement(using: &world.random), world.random.oneIn(2) {
            try answer(place)
        }
        guard let stream = streams.randomElement(using: &world.random) else { return }
        if !isHeard(stream) { return close(stream) }
        try tell(stream)
    }

    /// Performs all waiting reads and delivers all waiting events.
    func settle() throws {
        while !questions.isEmpty { try answer(0) }
        for stream in streams where !isHeard(stream) { close(stream) }
        for stream in streams { while try tell(stream) {} }
    }

    /// Reads the circle of an account or, if it was already read, applies it.
    private func answer(_ place: Int) throws {
        let question = questions[place]
        guard let circle = question.circle else {
            let account = question.account
            questions[place].circle = try question.server.database.readNow {
                try PresenceRegister.Circle.read(of: account, in: $0)
            }
            return
        }
        questions.remove(at: place)
        let now = world.time(on: question.server)
        _ = question.server.presence.enter(circle, of: question.account, asked: question.number, at: now)
    }

    private func close(_ stream: SimulatedStream) {
        streams.removeAll { $0.id == stream.id }
        _ = stream.server.presence.close(stream.id, at: world.time(on: stream.server))
    }

    /// - Returns: Whether there was an event to deliver.
    @discardableResult
    private func tell(_ stream: SimulatedStream) throws -> Bool {
        guard let event = stream.server.presence.take(stream.id) else { return false }
        try world.peopleAuditor.judgeNews(event, to: stream, in: world)
        let told = try JSONDecoder().decode(PresenceEvent.self, from: JSONEncoder().encode(event))
        _ = world.devices[stream.device].board.apply(told, from: stream.identity)
        return true
    }
}
