import Foundation
import HTTPTypes
import KithModel
import Synchronization

/// What the API does: for each endpoint, who may ask, what is done, and what is answered.
struct API: Sendable {
    let database: WritableDatabase
    let clock: ServerClock
    let gate: Gate
    let work: HeavyWork
    let connections: Connections
    let hub: LiveHub
    let ready: ReadyCheck
    let discovery: DiscoveryService
    let metrics: ServerMetrics
    /// How many bytes of records an account may have.
    let storage: Int
    /// Where people reach this server: what a link begins with.
    let origin: Origin
    /// Rings where there is something to tell those who have an account among their contacts.
    let reach: @Sendable () -> Void

    func answer(_ endpoint: Endpoint, _ incoming: Incoming) async throws -> Answer {
        switch endpoint.caller {
        case .operating:
            try gate.pass(operator: incoming.address)
            return try await answerOperator(endpoint, incoming)
        case .anyone:
            try gate.passWork(of: incoming.address)
            try gate.pass(address: incoming.address)
            return try await answerAnyone(endpoint, incoming)
        case .newcomer:
            try gate.pass(newcomer: incoming.address)
            return try Answer(.created, json: try await SessionService(database: database).open(at: clock.time()))
        case .session:
            try gate.passWork(of: incoming.address)
            let (session, token) = try await authenticate(incoming)
            let ration = Ration(gate: gate, work: work, address: incoming.address, token: token)
            return try await answer(endpoint, incoming, session, ration)
        }
    }

    /// Whose session it is. Those who have none are counted by their address, so that tokens cannot be guessed at speed.
    private func authenticate(_ incoming: Incoming) async throws -> (SessionDescription, token: String) {
        guard let token = incoming.token else {
            try gate.pass(address: incoming.address)
            throw ServerError(.tokenMissing, "There is no token. Send “Authorization: Bearer” and the session's token.")
        }
        let session: SessionDescription?
        do {
            session = try await SessionService(database: database).verify(token)
        } catch let closed as ServerError where closed.code == .accountClosed {
            try gate.pass(address: incoming.address)
            throw closed
        }
        guard let session else {
            try gate.pass(address: incoming.address)
            throw ServerError(.tokenInvalid, "The token is unknown or was revoked. Open a new session.")
        }
        try gate.pass(session: token)
        return (session, token)
    }

    private func answer(
        _ endpoint: Endpoint, _ incoming: Incoming, _ session: SessionDescription, _ ration: Ration
    ) async throws -> Answer {
        let (account, token) = (session.account, ration.token ?? "")
        let links = LinkService(database: database)
        switch endpoint {
        case .showSession:
            return try Answer(json: session)
        case .closeSession:
            _ = try await SessionService(database: database).close(token)
            hub.end(session: token)
            return Answer(.noContent)
        case .deleteAccount:
            try await AccountService(database: database).delete(account, at: clock.time())
            hub.end(account: account)
            reach()
            return Answer(.noContent)
        case .sync:
            let request = try await incoming.read(SyncRequest.self, in: ration)
            ration.charge(WorkUnits.mutations(request.mutations.count))
            let (now, presence) = (clock.time(), hub.presence(of: account))
            let seen = presence.state == .offline ? presence.seen : now
            let service = SyncService(database: database, turns: ration, storage: storage)
            let synced = try await service.sync(request, as: account, at: now, seen: seen) {
                hub.moved($0.moved, by: request.device)
                if $0.hasNewProfiles { reach() }
                await hub.lookAnew(at: $0.circles, in: database)
            }
            metrics.synced(request, synced.answer)
            return try await ration.answer(synced.answer, isLarge: synced.isLarge, to: incoming)
        case .live:
            let stream = try hub.open(
                account, try incoming.identifier("device"), session: token, from: incoming.address,
                as: try incoming.presence())
            stream.listen(to: try await ReadableFeeds.of(account, in: database))
            return Answer(events: stream)
        case .createLink(let list):
            let request = try await incoming.read(LinkRequest.self, in: ration)
            let linked = try await links.create(request, for: list, by: account, at: clock.time())
            hub.moved(linked.moved)
            return try Answer(.created, json: origin.addressed(linked.value))
        case .showLinks(let list):
            return try Answer(json: try await links.links(of: list, by: account, at: clock.time()))
        case .revokeLink(let link, let list):
            hub.moved(try await links.revoke(link, of: list, by: account, at: clock.time()).moved)
            return Answer(.noContent)
        case .showRemoved(let list):
            return try Answer(json: try await links.removed(of: list, by: account, at: clock.time()))
        case .letIn(let person, let list):
            try await links.letIn(person, to: list, by: account, at: clock.time())
            return Answer(.noContent)
        case .acceptLink(let token):
            let linked = try await links.accept(token, by: account, at: clock.time())
            hub.moved(linked.moved)
            return try Answer(json: linked.value)
        case .showDiscovery:
            return try Answer(json: try await discovery.describe(for: account, at: clock.time()))
        case .evaluate:
            let request = try await incoming.read(EvaluationRequest.self, in: ration)
            ration.charge(WorkUnits.evaluations(request.elements.count))
            return try Answer(
                json: try await discovery.evaluate(request, by: account, at: clock.time(), turns: ration))
        case .showBuckets:
            let request = try await incoming.read(BucketRequest.self, in: ration)
            return try await ration.run(WorkUnits.bytes(Limits.pageBytes)) {
                let answer = Answer(bytes: try await discovery.look(request, at: clock.time()).data)
                ration.charge(WorkUnits.bytes(answer.size))
                return answer
            }
        default: return try await answerOfPeople(endpoint, incoming, account, ration)
        }
    }

    private func answerAnyone(_ endpoint: Endpoint, _ incoming: Incoming) async throws -> Answer {
        let links = LinkService(database: database)
        switch endpoint {
        case .previewLink(let token): return try Answer(json: try await links.preview(token, at: clock.time()))
        case .showPublicList(let token):
            let ration = Ration(gate: gate, work: work, address: incoming.address, token: nil)
            return try await ration.run(WorkUnits.bytes(Limits.pageBytes)) {
                try ration.largeAnswer(try await links.publicList(token, at: clock.time()), to: incoming)
            }
        default: throw ServerError.nothingHere
        }
    }

    private func answerOperator(_ endpoint: Endpoint, _ incoming: Incoming) async throws -> Answer {
        switch endpoint {
        case .health: return try Answer(json: ["status": "alive"])
        case .ready:
            if gate.isClosing { throw ServerError.closing }
            try await ready.check()
            return try Answer(json: Readiness(server: database.server))
        case .metrics:
            metrics.running(gate.running)
            metrics.connections(connections.count, unwritten: connections.unwritten, bodies: connections.bodies)
            metrics.waiting(work.waiting)
            metrics.streams(hub.count)
            let type = "text/plain; version=0.0.4; charset=utf-8"
            return Answer(.ok, headers: [.contentType: type], body: Data(metrics.registry.text.utf8))
        case .description:
            try gate.pass(address: incoming.address)
            return APIDescription.answer(to: incoming)
        default: throw ServerError.nothingHere
        }
    }
}

/// Where people reach a server: given, or found out when it listens.
final class Origin: Sendable {
    private let url: Mutex<String>

    init(_ url: String) { self.url = Mutex(url) }

    func set(_ new: String) { url.withLock { $0 = new } }

    /// A link with the whole of its address, if it still has its token. The token is the address's last part.
    func addressed(_ link: ListLink) -> ListLink {
        guard let token = link.token else { return link }
        var link = link
        link.url = url.withLock { "\($0)/v1/\(link.isPublic ? "public" : "links")/\(token)" }
        return link
    }
}
