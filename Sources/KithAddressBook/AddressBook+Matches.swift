package import Kith
public import KithModel
import Synchronization

extension AddressBook {
    /// Everybody's numbers in E.164 form, and emails in canonical form: by what people can be found on the service.
    ///
    /// Each once. What is no identity is not among them: a short code, a number without its area code, a text.
    ///
    /// - Throws: ``KithError``, as ``loaded()``.
    package func identities() async throws -> Set<Identity> {
        try await loadedBook().tables.identities()
    }

    /// What a text that somebody typed is: a number as it is dialled in ``region``, or an email; nil if it is neither.
    package func identity(_ text: String) -> Identity? {
        if let identity = Identity(text) { return identity }
        if let address = EmailAddress(text) { return .email(address) }
        return reader.e164(text).map(Identity.phone)
    }

    /// Has something done before the address book is first loaded: an app that never asks for it pays nothing.
    func beforeFirstLoad(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.beginning = body } }

    /// Shows the people that the current account has found from here on, whichever account that is. Those who are known already are in
    /// the first answer.
    func showMatches(in replica: Replica) async {
        _ = try? await noteMatches(in: replica)
        let found = replica.foundMatches()
        let task = Task { [weak self] in
            for await _ in found {
                if (try? await self?.noteMatches(in: replica)) == false { await self?.arranged() }
            }
        }
        state.withLock { $0.showing = task }
    }

    /// Takes over the current account's matches.
    ///
    /// - Returns: Whether they are shown already.
    private func noteMatches(in replica: Replica) async throws -> Bool {
        // Between two writes: what is written after this is noted after it.
        try await replica.between { db, current in
            self.noteMatches(try Match.fetchAll(db, current.key).accounts)
        }
    }

    /// Shows whose identities are to an account, if that is the current one.
    package func show(_ accounts: [Identity: AccountID], of account: ReplicaAccount.Mark, in replica: Replica) async {
        let isShown = try? await replica.between { _, current in
            current.mark != account || self.noteMatches(accounts)
        }
        if isShown == false { await arranged() }
    }

    /// Notes who of the service each contact is. The next arranging shows it: contacts for which that is another then are
    /// told as modified.
    ///
    /// - Returns: Whether it is shown already.
    func noteMatches(_ matches: [Identity: AccountID]) -> Bool {
        state.withLock { state in
            let isNew = state.matches.accounts != matches
            if isNew { state.matches = ContactMatches(accounts: matches) }
            // Somebody else may have said so, and still be waiting for it to be shown.
            return !isNew && state.book.map { $0.matches === state.matches } ?? true
        }
    }
}

/// Whose identities are, as far as it is known: shared by all contacts of a book.
final class ContactMatches: Sendable {
    let accounts: [Identity: AccountID]

    init(accounts: [Identity: AccountID]) { self.accounts = accounts }

    /// Nobody's.
    static let none = ContactMatches(accounts: [:])

    /// The identities that are somebody else's, or nobody's, to another.
    func difference(from other: ContactMatches) -> Set<Identity> {
        if self === other { return [] }
        return Set(accounts.keys.filter { accounts[$0] != other.accounts[$0] })
            .union(other.accounts.keys.filter { accounts[$0] == nil })
    }
}

extension AddressBook.Contact {
    /// The accounts of the service that have one of its numbers or emails, each once: found by ``Discovery``.
    public var accounts: [AccountID] {
        if matches.accounts.isEmpty { return [] }
        var seen: Set<AccountID> = []
        return identities.compactMap { matches.accounts[$0] }.filter { seen.insert($0).inserted }
    }

    /// Whether it has one of these numbers and emails.
    func isAny(of identities: Set<Identity>) -> Bool {
        filed.contains { card in
            card.details.numbers.contains { $0.map { identities.contains(.phone($0)) } ?? false }
                || card.details.addresses.contains { $0.map { identities.contains(.email($0)) } ?? false }
        }
    }

    /// Whether it is known to be on the service.
    public var isOnService: Bool { !accounts.isEmpty }

    /// By what it can be found: every number and every email of its cards.
    package var identities: [Identity] {
        filed.flatMap { card in
            card.details.numbers.compactMap { $0.map(Identity.phone) }
                + card.details.addresses.compactMap { $0.map(Identity.email) }
        }
    }
}
