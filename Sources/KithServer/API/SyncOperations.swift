import KithModel

/// Performs a device's rounds, and opens its live stream.
enum SyncOperations {
    static func sync(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let request = try await call.read(SyncRequest.self)
        call.ration.charge(WorkUnits.mutations(request.mutations.count))
        let hub = call.api.live.hub
        let terms = SyncRound.Terms(
            storage: call.api.storage, network: call.incoming.address.network,
            lastOnline: { try hub.lastOnline(of: session.account, in: $0) })
        let synced = try await call.api.features.rounds.sync(
            request, as: session.account, kind: session.kind, at: call.now, under: terms, through: call.ration)
        call.api.metrics.synced(request, synced.answer)
        return try await call.answer(synced.answer, isLarge: synced.isLarge)
    }

    static func live(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let token = session.token
        let id = SessionID(token: token)
        let device: DeviceID = try call.incoming.identifier("device")
        let presence = try call.incoming.presence()
        guard try call.wantsEvents() else { return .headOfEvents }
        let stream = try call.api.live.hub.open(
            session.account, device, session: id.description, from: call.incoming.address, as: presence)
        guard let feeds = try await ReadableFeeds.of(session.account, while: id, in: call.database) else {
            // This throws if the account was deleted.
            _ = try await call.api.features.sessions.verify(token)
            throw ServerError.unknownToken
        }
        stream.listen(to: feeds)
        return Answer(events: stream)
    }
}
