public import KithModel

extension Network {
    // MARK: Presence

    /// How someone of my network is just now.
    ///
    /// It comes over the live stream while ``KithClient/run()`` runs, is kept in memory only, and a change of it is told as
    /// an update of the contact with the key `presence`. Someone who is invisible or has blocked me looks offline.
    ///
    /// - Returns: nil where it is not known: without a live stream, and of anyone whom I am not connected with or have
    ///   blocked.
    public func presence(of id: AccountID) async throws -> Presence? {
        let engine = client.engine
        return try await client.replica.read { db, account in
            // What was told of someone stays unknown as long as, and as soon as, they are not in the network.
            guard let contact = try NetworkContact.fetch(db, account.key, id), contact.hasPresence else { return nil }
            return engine.presence(of: id, on: account.device)
        }
    }

    /// Those of my network who are there just now, and how they are; whoever is not named is offline or not known.
    public func presences() async throws -> [AccountID: Presence] {
        let engine = client.engine
        return try await client.replica.read { db, account in
            try engine.present(on: account.device).filter { id, _ in
                try NetworkContact.fetch(db, account.key, id)?.hasPresence ?? false
            }
        }
    }

    /// Asks the server how someone of my network is, and when they were last online, if they let me know.
    ///
    /// - Throws: ``KithError`` with `notFound` of anyone whom I am not connected with; `offline`, `busy`, `unauthorized`,
    ///   `noServer`.
    public func currentPresence(of id: AccountID) async throws -> Presence {
        try await client.engine.withSession { try await $0.presence(of: id, token: $1) }
    }

    /// Sets what this device is shown as to my network: online, away, busy or invisible.
    ///
    /// It lasts as long as this client, begins with each live stream, and holds while one is open; without one I am
    /// offline. Of several devices invisible counts first, then busy; otherwise the most available. To be seen by nobody from
    /// the start, set `invisible` before ``KithClient/run()``.
    ///
    /// - Throws: ``KithError`` with `invalid` for `offline`; `busy` or `unauthorized` if the server refused just now: the
    ///   next live stream says it all the same.
    public func setPresence(_ state: Presence.State) async throws {
        guard state != .offline else {
            throw KithError(
                .invalid, "Nobody is offline by saying so: be invisible, or stop running the client.", field: "state")
        }
        try await client.engine.setPresence(state)
    }
}

extension NetworkContact {
    /// Whether I can know how they are.
    fileprivate var hasPresence: Bool { relation == .connected && !isBlocked }
}
