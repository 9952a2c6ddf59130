package import KithModel

/// Who is online, among those who have a live stream.
extension LiveHub {
    /// How often it is written down when people were last seen, if any have gone.
    static let writingSeen = Duration.seconds(10)

    /// A stream has begun: its account is there, and is told who else is.
    package func arrive(_ stream: LiveStream, in database: any Database) async {
        ring { $0.open(stream.id, of: stream.account, stream.device, as: stream.state, at: $1) }
        await readCircles(of: [stream.account], in: database)
    }

    /// Sets what a device is shown as, as long as it has a live stream.
    ///
    /// - Throws: ``ServerError`` with the code `conflict` if it has none.
    func setPresence(_ state: Presence.State, of account: AccountID, _ device: DeviceID) throws(ServerError) {
        var isThere = false
        ring { register, now in
            let woken = register.set(state, of: account, device, at: now)
            isThere = woken != nil
            return woken ?? []
        }
        if !isThere {
            throw ServerError(
                .conflict,
                "This device has no live stream, and presence lasts as long as one. Open it, and say there what to be shown as."
            )
        }
    }

    /// How an account is, whoever asks; and when it went, if that was not written down yet.
    func presence(of account: AccountID) -> (state: Presence.State, seen: Timestamp?) {
        withPresence { ($0.state(of: account), $0.seen(account)) }
    }

    /// Reads again to which people these accounts show their presence. Call it after a commit that has changed their
    /// contacts, their blocks, or what their profiles show. An account without a stream costs nothing.
    package func readCircles(of accounts: Set<AccountID>, in database: any Database) async {
        let questions = withPresence { $0.ask(accounts) }
        if questions.isEmpty { return }
        let circles = try? await database.read { transaction in
            try questions.keys.map { ($0, try PresenceRegister.Circle.read(of: $0, in: transaction)) }
        }
        // What cannot be read now is asked again with the next turn of `settle`.
        for (account, circle) in circles ?? [] {
            guard let question = questions[account] else { continue }
            ring { $0.enter(circle, of: account, asked: question, at: $1) }
        }
    }

    /// Does what has been left: writes down who was last seen when, and asks again what could not be read.
    func settle(in database: any Database) async {
        let seen = withPresence { $0.unwrittenSeen }
        // What cannot be written now is tried again with the next turn.
        if !seen.isEmpty, (try? await database.write { try LastSeen.write(seen, in: $0) }) != nil {
            withPresence { $0.noteWritten(seen) }
        }
        await readCircles(of: withPresence { $0.unansweredAccounts }, in: database)
    }
}
