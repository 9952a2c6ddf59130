import HTTPTypes
import KithModel

/// The operations on links: those for the owners of lists, and those for anyone with the token of an invitation.
enum LinkOperations {
    static func create(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let (list, key) = (try call.path.list(), try call.requestKey())
        let request: LinkRequest = try await call.read()
        let link = try await call.changeLinks { try $0.create(request, for: list, by: session.account, key: key) }
        return try Answer(.created, json: call.api.origin.addressed(link))
    }

    static func show(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let list = try call.path.list()
        return try Answer(json: try await call.readLinks { try $0.links(of: list, by: session.account) })
    }

    static func revoke(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let (list, link) = (try call.path.list(), try call.path.link())
        _ = try await call.changeLinks { try $0.revoke(link, of: list, by: session.account) }
        return Answer(.noContent)
    }

    static func showRemoved(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let list = try call.path.list()
        return try Answer(json: try await call.readLinks { try $0.removed(of: list, by: session.account) })
    }

    static func letIn(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let (list, person) = (try call.path.list(), try call.path.account())
        try await call.changeLinks { Committed(try $0.letIn(person, to: list, by: session.account)) }
        return Answer(.noContent)
    }

    static func accept(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let token = try call.path.token()
        return try Answer(json: try await call.changeLinks { try $0.accept(token, by: session.account) })
    }

    static func preview(_ call: Call) async throws -> Answer {
        let token = try call.path.token()
        if call.incoming.prefersHTML { return try await PageOperations.preview(call, .list) }
        return try Answer(json: try await call.readLinks { try $0.preview(token) })
    }
}

extension Call {
    /// Runs `body` in a write transaction, then sends the signals of the commit.
    fileprivate func changeLinks<Value: Sendable>(
        _ body: @escaping @Sendable (LinkTransaction) throws -> Committed<Value>
    ) async throws -> Value {
        let (now, server) = (now, database.server)
        return try await api.signals.commit(in: database) { try body(LinkTransaction($0, at: now, on: server)) }
    }

    /// Runs `body` on a snapshot.
    func readLinks<Value: Sendable>(
        _ body: @escaping @Sendable (LinkTransaction) throws -> Value
    ) async throws -> Value {
        let (now, server) = (now, database.server)
        return try await database.read { try body(LinkTransaction($0, at: now, on: server)) }
    }
}
