import KithModel

/// The search tables of a book. They are built in the background, or at their first use.
final class LazyTables: Sendable {
    private let contacts: [Contact]
    private let madeNames = Once<ContactTables>()
    private let madeFinding = Once<FindingTables>()
    private let madeIdentities = Once<Set<Identity>>()

    init(of contacts: [Contact]) { self.contacts = contacts }

    /// The tables by id and by name. While a table is being built, callers of this and the other properties wait.
    var names: ContactTables { madeNames { ContactTables(contacts) } }

    /// The tables by numbers, emails and all other text.
    var finding: FindingTables { madeFinding { FindingTables(contacts) } }

    /// Whether the tables of ``finding`` are built, so that using them does not wait.
    var isFindingReady: Bool { madeFinding.value != nil }

    /// All identities, without duplicates.
    @concurrent func identities() async -> Set<Identity> {
        if let identities = madeIdentities.value { return identities }
        await IndexedCard.detail(contacts.flatMap(\.indexed))
        return madeIdentities { contacts.reduce(into: Set()) { $0.formUnion($1.identities) } }
    }

    /// Builds the tables on all cores, so that callers rarely wait.
    @concurrent func prepare() async {
        if madeFinding.value != nil { return }
        _ = names
        await IndexedCard.detail(contacts.flatMap(\.indexed))
        _ = finding
    }
}
