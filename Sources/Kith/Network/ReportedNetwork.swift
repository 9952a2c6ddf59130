import GRDB
import KithModel

/// The contacts and matches, as they were last reported.
struct ReportedNetwork: ReportedContent {
    private var contacts: [AccountID: NetworkContact] = [:]
    private var matches: [Identity: Match] = [:]
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

    mutating func take(_ db: Database, _ account: ReplicaAccount, origin: ChangeOrigin) throws -> [Announcement] {
        let now = try NetworkContact.fetchAll(db, account.key)
        let network = ContactDifferences.between(
            contacts.values.sorted { $0.id < $1.id }, now, origin: origin, me: (self.account, account.id))
        contacts = Dictionary(uniqueKeysWithValues: now.map { ($0.id, $0) })
        self.account = account.id
        return [.changes(network), .changes(try takeMatches(db, account, origin: origin))]
    }

    mutating func takeUnannounced(_ db: Database, _ account: ReplicaAccount) throws -> [Announcement] {
        [.changes(try takeMatches(db, account, origin: .server))]
    }

    static func unannouncedChanges(in replica: Replica) -> AsyncStream<Void>? {
        let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            for await _ in replica.foundMatches() { change.yield() }
            change.finish()
        }
        change.onTermination = { _ in task.cancel() }
        return changes
    }

    private mutating func takeMatches(
        _ db: Database, _ account: ReplicaAccount, origin: ChangeOrigin
    ) throws -> Changed<Match> {
        let before = matches
        matches = Dictionary(try Match.fetchAll(db, account.key).map { ($0.identity, $0) }) { first, _ in first }
        var changed = Changed<Match>(origin: origin)
        for identity in Set(before.keys).union(matches.keys).sorted() {
            changed.note(before[identity], matches[identity])
        }
        return changed
    }
}
