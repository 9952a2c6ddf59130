import KithModel
import KithServer
import Testing

@Suite("The limit of sessions of an account") struct SessionLimitTests {
    /// Adds sessions to an account: the first was used an hour ago, and each of the others an hour after the one before.
    ///
    /// - Returns: Their tokens, in this order.
    private func add(_ count: Int, to account: AccountID, in world: SignInWorld) async throws -> [String] {
        let (tokens, now) = ((1...count).map { "session \($0)" }, world.now)
        try await world.database.write { transaction in
            for (number, token) in tokens.enumerated() {
                try transaction.execute(
                    "INSERT INTO session (token_hash, account, created, used) VALUES (?, ?, ?, ?)",
                    [
                        .bytes(Secret.sha256(token)), .id(account), .time(now),
                        .time(now + .seconds((number - 1) * 3_600)),
                    ])
            }
        }
        return tokens
    }

    @Test("Law 10: A further session closes the one that was used least recently, and no sign-in is refused")
    func further() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: phone)
        let tokens = try await add(Limits.sessions - 1, to: phone.account, in: world)
        world.clock.advance(.seconds(60))
        _ = world.signals.take()

        let token = try #require(try await world.signIn("ada@example.com", by: tablet).token)
        #expect(world.signals.take().closedSessions == [SessionID(token: tokens[0])])
        #expect(try await world.sessions.verify(tokens[0]) == nil)
        for open in [phone.token, tokens[1], token] {
            #expect(try await world.sessions.verify(open)?.account == phone.account)
        }
        #expect(try await world.sessions.list(of: phone.account, by: token).sessions.count == Limits.sessions)
    }

    @Test("Trap: A program signs in a thousand times within an hour – the phone that is used in that hour stays open")
    func sameHour() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: phone)
        world.clock.advance(.seconds(3_600))
        let hour = SessionUses.hour(of: world.now)
        let tokens = (1..<Limits.sessions).map { "session \($0)" }
        try await world.database.write { [now = world.now, account = phone.account] transaction in
            for (number, token) in tokens.enumerated() {
                try transaction.execute(
                    "INSERT INTO session (token_hash, account, created, used) VALUES (?, ?, ?, ?)",
                    [
                        .bytes(Secret.sha256(token)), .id(account), .time(now + .milliseconds(number)), .time(hour),
                    ])
            }
            try transaction.execute(
                "UPDATE session SET used = ? WHERE token_hash = ?",
                [.time(hour), .bytes(Secret.sha256(phone.token))])
        }
        world.clock.advance(.seconds(60))

        _ = try await world.signIn("ada@example.com", by: tablet)
        #expect(try await world.sessions.verify(phone.token) != nil)
        #expect(try await world.sessions.verify(tokens[0]) == nil)
        #expect(try await world.sessions.verify(tokens[1]) != nil)
    }

    @Test("Trap: An older program has stored more – the list ends at the limit, and the next sign-in closes them")
    func stored() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: phone)
        _ = try await add(Limits.sessions + 500, to: phone.account, in: world)
        let sessions = try await world.sessions.list(of: phone.account, by: phone.token).sessions
        #expect(sessions.count == Limits.sessions && sessions.count(where: \.isCurrent) == 1)

        world.clock.advance(.seconds(60))
        _ = try await world.signIn("ada@example.com", by: tablet)
        #expect(try await world.count("session") == Int64(Limits.sessions) + 1, "The tablet has its first one, too.")
    }
}
