import HTTPTypes
import KithModel

/// The operations of owners on the links of their lists, and of everyone else with the token of a link.
enum LinkOperations {
    static func create(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let (list, request) = (try call.path.list(), try await call.read(LinkRequest.self))
        let link = try await call.links.create(request, for: list, by: session.account, at: call.now)
        return try Answer(.created, json: call.api.origin.addressed(link))
    }

    static func show(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        try Answer(json: try await call.links.links(of: try call.path.list(), by: session.account, at: call.now))
    }

    static func revoke(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let (list, link) = (try call.path.list(), try call.path.link())
        _ = try await call.links.revoke(link, of: list, by: session.account, at: call.now)
        return Answer(.noContent)
    }

    static func showRemoved(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        try Answer(json: try await call.links.removed(of: try call.path.list(), by: session.account, at: call.now))
    }

    static func letIn(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let (list, person) = (try call.path.list(), try call.path.account())
        try await call.links.letIn(person, to: list, by: session.account, at: call.now)
        return Answer(.noContent)
    }

    static func accept(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        try Answer(json: try await call.links.accept(try call.path.token(), by: session.account, at: call.now))
    }

    static func preview(_ call: Call) async throws -> Answer {
        try Answer(json: try await call.links.preview(try call.path.token(), at: call.now))
    }

    static func showPublicList(_ call: Call) async throws -> Answer {
        let token = try call.path.token()
        return try await call.ration.run(WorkUnits.bytes(Limits.pageBytes)) {
            try call.ration.largeAnswer(try await call.links.publicList(token, at: call.now), to: call.incoming)
        }
    }
}

extension Call {
    fileprivate var links: LinkService { LinkService(database: database, signals: api.signals) }
}
