import KithModel

/// Shows how someone is to someone who asks, as far as they may know.
///
/// To someone that they have blocked, they seem to have gone at that moment and not to have come back. That looks like being
/// away for long, or invisible.
struct PresenceService {
    /// What the database knows of the two.
    private struct Known {
        var seen: Timestamp?
        var blocked: Timestamp?
        var circle: (showsPresence: Bool, showsLastSeen: Bool)
    }

    let database: any Database
    let hub: LiveHub

    /// How `account` is.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if `viewer` is not connected with them, or has blocked them.
    func presence(of account: AccountID, to viewer: AccountID) async throws -> Presence {
        // In this order: when they were seen is forgotten here only after it can be read there.
        let now = hub.presence(of: account)
        let known = try await database.read { transaction in try Self.known(of: account, to: viewer, in: transaction) }
        guard let known else {
            throw ServerError(.notFound, "You can see who is online among the people that you are connected with.")
        }
        let (shown, seen) = (known.circle, [now.seen, known.seen].compactMap { $0 }.max())
        if let blocked = known.blocked {
            let wasSeen = shown.showsLastSeen && blocked != NetworkContact.neverSeen
            return Presence(.offline, lastSeen: wasSeen ? blocked : nil)
        }
        let state = shown.showsPresence ? now.state : .offline
        return Presence(state, lastSeen: state == .offline && shown.showsLastSeen ? seen : nil)
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
            blocked: theirs?.isBlocked == true
                ? theirs?.fields["blocked"]?.integer.map { Timestamp(milliseconds: $0) } : nil,
            circle: (
                Profile.Part.presence.visibility(in: profile) >= .network,
                Profile.Part.lastSeen.visibility(in: profile) >= .network
            ))
    }
}
