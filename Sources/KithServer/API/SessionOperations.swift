import HTTPTypes
import KithModel

/// Opens, shows and closes sessions, and deletes accounts.
enum SessionOperations {
    static func open(_ call: Call) async throws -> Answer {
        let key = try call.requestKey()
        return try Answer(.created, json: try await SessionService(database: call.database).open(key, at: call.now))
    }

    static func show(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        // The session was only checked.
        try await call.database.waitUntilDurable()
        return try Answer(json: session)
    }

    static func close(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let sessions = SessionService(database: call.database, signals: call.api.signals)
        if let token = call.ration.token { try await sessions.close(token) }
        return Answer(.noContent)
    }

    static func name(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let name: SessionName = try await call.read()
        if let token = call.ration.token { try await SessionService(database: call.database).name(token, name) }
        return Answer(.noContent)
    }

    static func list(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let sessions = SessionService(database: call.database)
        return try Answer(json: try await sessions.list(of: session.account, by: call.ration.token ?? ""))
    }

    static func revoke(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let revoked = try call.path.session()
        try await SessionService(database: call.database, signals: call.api.signals)
            .close(revoked, of: session.account)
        return Answer(.noContent)
    }

    static func closeAll(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        try await SessionService(database: call.database, signals: call.api.signals).closeAll(of: session.account)
        return Answer(.noContent)
    }

    static func deleteAccount(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let accounts = AccountService(database: call.database, signals: call.api.signals)
        try await accounts.delete(session.account, deciding: AccountDeletion(), at: call.now)
        return Answer(.noContent)
    }

    static func deleteAccountAndLists(_ call: Call, _ session: SessionDescription) async throws -> Answer {
        let deletion: AccountDeletion = try await call.read()
        guard (deletion.lists?.count ?? 0) <= Limits.lists else {
            throw ServerError(.tooMany, "There are more than \(Limits.lists) lists. Name each once.", path: "$.lists")
        }
        var named: Set<ListID> = []
        for (index, entry) in (deletion.lists ?? []).enumerated() where !named.insert(entry.list).inserted {
            throw ServerError(
                .malformed, "This list is named twice. Decide once about each.", path: "$.lists[\(index)].list")
        }
        let accounts = AccountService(database: call.database, signals: call.api.signals)
        try await accounts.delete(session.account, deciding: deletion, at: call.now)
        return Answer(.noContent)
    }
}
