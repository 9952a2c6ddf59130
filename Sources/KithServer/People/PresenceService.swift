import KithModel

/// Shows the presence of an account to a viewer, as far as the viewer may see it.
///
/// To a blocked viewer, the person seems to have gone offline at the moment of the block and not to have come back.
/// This looks the same as a long absence or an invisible state.
struct PresenceService {
    /// The facts about the two from the database.
    private struct Known {
        var seen: Timestamp?
        var blocked: Timestamp?
        var circle: (showsPresence: Bool, showsLastSeen: Bool)
        /// The presence at all nodes, if several share the database.
        var rows: [PresenceRow] = []
    }

    let database: any Database
    let hub: LiveHub

    /// The presence of `account`.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if `viewer` is not connected with `account`, or has blocked
    ///   it.
    func presence(of account: AccountID, to viewer: AccountID) async throws -> Presence {
        // The order matters: the hub deletes the last-seen time only after it can be read from the database.
        let unstored = hub.presence(of: account).seen
        let isShared = hub.node != nil
        let known = try await database.read { transaction in
            var known = try Self.known(of: account, to: viewer, in: transaction)
            if isShared { known?.rows = try PresenceRow.read(of: [account], in: transaction) }
            return known
        }
        guard let known else {
            throw ServerError(.notFound, "You can see who is online among the people that you are connected with.")
        }
        let (shown, seen) = (known.circle, [unstored, known.seen].compactMap { $0 }.max())
        if let blocked = known.blocked {
            let wasSeen = shown.showsLastSeen && blocked != NetworkContact.neverSeen
            return Presence(.offline, lastSeen: wasSeen ? blocked : nil)
        }
        let state = shown.showsPresence ? hub.state(of: account, with: known.rows) : .offline
        return Presence(state, lastSeen: state == .offline && shown.showsLastSeen ? seen : nil)
    }

    /// Sets the presence of a device that has a live stream, at this node or at another.
    ///
    /// The nodes do not know of each other which devices have streams. The choice of a device without one, whose account
    /// has one elsewhere, sets nothing.
    ///
    /// - Throws: ``ServerError`` with the code `conflict` if the device has no stream here, and its account none
    ///   elsewhere.
    func set(
        _ state: Presence.State, of account: AccountID, _ device: DeviceID, signals: SignalSender
    ) async throws {
        guard let node = hub.node else { return try hub.setPresence(state, of: account, device) }
        do {
            try hub.setPresence(state, of: account, device)
        } catch {
            let refusal = error
            try await signals.commit(in: database) { transaction in
                let rows = try PresenceRow.read(of: [account], in: transaction)
                guard rows.contains(where: { $0.node != node }) else { throw refusal }
                var signals = Signals()
                signals.choices = [PresenceChoice(state, of: account, device)]
                return Committed((), signals: signals)
            }
        }
    }

    private static func known(
        of account: AccountID, to viewer: AccountID, in transaction: any Transaction
    ) throws -> Known? {
        let records = try RecordRow.read(
            [.contact(account, of: viewer), .contact(viewer, of: account), .profile(of: account)], in: transaction)
        func live(_ place: RecordPlace) -> RecordState? {
            records[place].flatMap { $0.state.isDeleted ? nil : $0.state }
        }
        guard let mine = live(.contact(account, of: viewer)), mine.relation == .connected,
            !mine.isBlocked
        else { return nil }
        let (theirs, profile) = (live(.contact(viewer, of: account)), live(.profile(of: account))?.fields ?? [:])
        return Known(
            seen: try LastSeen.read(of: account, in: transaction),
            blocked: theirs?.isBlocked == true ? theirs?.fields["blocked"]?.time : nil,
            circle: (
                Profile.Part.presence.visibility(in: profile) >= .network,
                Profile.Part.lastSeen.visibility(in: profile) >= .network
            ))
    }
}
