import HTTPTypes
import KithModel

/// Opens, shows and closes sessions, and deletes accounts.
enum SessionOperations {
    static func open(_ call: Call) async throws -> Answer {
        let key = try call.requestKey()
        return try Answer(.created, json: try await call.api.features.sessions.open(key, at: call.now))
    }

    static func show(_ call: Call, _ session: CallerSession) async throws -> Answer {
        // The session was only checked.
        try await call.database.waitUntilDurable()
        return try Answer(json: session.description)
    }

    static func close(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try await call.api.features.sessions.close(session.token)
        return Answer(.noContent)
    }

    static func name(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let name: SessionName = try await call.read()
        try await call.api.features.sessions.name(session.token, name)
        return Answer(.noContent)
    }

    static func list(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let sessions = try await call.api.features.sessions.list(of: session.account, by: session.token)
        guard sessions.sessions.count > AnswerSize.small.records else { return try Answer(json: sessions) }
        return try await call.ration.run(WorkUnits.bytes(Limits.pageBytes)) { try call.largeAnswer(sessions) }
    }

    static func revoke(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try await call.api.features.sessions.close(try call.path.session(), of: session.account)
        return Answer(.noContent)
    }

    static func closeAll(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try await call.api.features.sessions.closeAll(of: session.account)
        return Answer(.noContent)
    }

    static func deleteAccount(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try await call.api.features.accounts.delete(session.account, deciding: AccountDeletion(), at: call.now)
        return Answer(.noContent)
    }

    static func deleteAccountAndLists(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let deletion: AccountDeletion = try await call.read()
        guard (deletion.lists?.count ?? 0) <= Limits.lists else {
            throw ServerError(.tooMany, "There are more than \(Limits.lists) lists. Name each once.", path: "$.lists")
        }
        var named: Set<ListID> = []
        for (index, entry) in (deletion.lists ?? []).enumerated() where !named.insert(entry.list).inserted {
            throw ServerError(
                .malformed, "This list is named twice. Decide once about each.", path: "$.lists[\(index)].list")
        }
        try await call.api.features.accounts.delete(session.account, deciding: deletion, at: call.now)
        return Answer(.noContent)
    }
}
