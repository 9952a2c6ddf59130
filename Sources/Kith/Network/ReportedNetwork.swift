import KithModel

/// The contacts and matches, as they were last reported.
struct ReportedNetwork: ReportedContent {
    private var contacts: [AccountID: NetworkContact] = [:]
    private var matches: [Match] = []
    private var account: AccountID?

    mutating func note(_ announcement: Announcement) {
        for one in announcement.contacts?.all ?? [] {
            if let contact = one.after {
                contacts[contact.id] = contact
            } else if let id = one.before?.id {
                contacts[id] = nil
            }
        }
    }

    mutating func take(_ reading: ReplicaReading, origin: ChangeOrigin) throws -> [Announcement] {
        let now = try NetworkContact.fetchAll(in: reading.store)
        let network = ContactDifferences.between(
            contacts.values.sorted { $0.id < $1.id }, now, origin: origin, me: (account, reading.account.id))
        contacts = Dictionary(uniqueKeysWithValues: now.map { ($0.id, $0) })
        account = reading.account.id
        return [.changes(network), .changes(try takeMatches(reading, origin: origin))]
    }

    mutating func takeUnannounced(_ reading: ReplicaReading) throws -> [Announcement] {
        [.changes(try takeMatches(reading, origin: .server))]
    }

    static func unannouncedChanges(in replica: Replica) -> AsyncStream<Void>? {
        AsyncStream<Void>(keeping: .bufferingNewest(1)) { stream in
            for await _ in replica.foundMatches() { stream.yield() }
        }
    }

    private mutating func takeMatches(_ reading: ReplicaReading, origin: ChangeOrigin) throws -> Changed<Match> {
        let before = matches
        matches = try Match.fetchAll(in: reading.store)
        return Changed(from: before, to: matches, origin: origin)
    }
}
