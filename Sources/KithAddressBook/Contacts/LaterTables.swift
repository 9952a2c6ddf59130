import KithModel

/// The tables of a book, which are made behind what is shown: each when somebody first needs it, or before.
final class LaterTables: Sendable {
    private let contacts: [AddressBook.Contact]
    private let madeNames = Once<ContactTables>()
    private let madeFinding = Once<FindingTables>()
    private let madeIdentities = Once<Set<Identity>>()

    init(of contacts: [AddressBook.Contact]) { self.contacts = contacts }

    /// Where to find contacts by what they are called. Who asks while that is being made waits for it, as below.
    var names: ContactTables { madeNames { ContactTables(contacts) } }

    /// Where to find contacts by all that is known of them.
    var finding: FindingTables { madeFinding { FindingTables(contacts) } }

    /// By what all contacts can be found on the service, each once.
    @concurrent func identities() async -> Set<Identity> {
        if let identities = madeIdentities.value { return identities }
        await FiledCard.detail(contacts.flatMap(\.filed))
        return madeIdentities { contacts.reduce(into: Set()) { $0.formUnion($1.identities) } }
    }

    /// Makes them on all cores, so that as a rule nobody waits.
    @concurrent func prepare() async {
        if madeFinding.value != nil { return }
        _ = names
        await FiledCard.detail(contacts.flatMap(\.filed))
        _ = finding
    }
}
