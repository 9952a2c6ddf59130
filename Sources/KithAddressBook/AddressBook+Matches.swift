package import Kith
public import KithModel
import Synchronization

extension AddressBook {
    /// All numbers in E.164 form and all emails in canonical form: the identities by which people can be found.
    ///
    /// Each identity is listed once. Short codes, numbers without their area code and other texts are no identities.
    ///
    /// - Throws: ``KithError``, as ``loaded()``.
    package func identities() async throws -> Set<Identity> {
        try await loadedBook().tables.identities()
    }

    /// The identity in a typed text: a number as dialled in ``region``, or an email; nil if it is neither.
    package func identity(_ text: String) -> Identity? {
        if let identity = Identity(text) { return identity }
        if let address = EmailAddress(text) { return .email(address) }
        return reader.e164(text).map(Identity.phone)
    }

    /// Runs `beginning` before the first load. An app that never loads the address book does not run it.
    func beforeFirstLoad(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.beginning = body } }

    /// Shows the matches of the current account from now on, also after a switch to another account. Known matches are in
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
    /// - Returns: Whether they were already shown.
    private func noteMatches(in replica: Replica) async throws -> Bool {
        // Runs between two writes, so that a later write is noted later.
        try await replica.between { db, current in
            self.noteMatches(try Match.fetchAll(db, current.key).accounts)
        }
    }

    /// Shows the matches of an account, if it is the current one.
    package func show(_ accounts: [Identity: AccountID], of account: ReplicaAccount.Mark, in replica: Replica) async {
        let isShown = try? await replica.between { _, current in
            current.mark != account || self.noteMatches(accounts)
        }
        if isShown == false { await arranged() }
    }

    /// Notes the accounts of the contacts. They are shown when the contacts are next arranged; contacts with another
    /// account than before are reported as modified.
    ///
    /// - Returns: Whether they were already shown.
    func noteMatches(_ matches: [Identity: AccountID]) -> Bool {
        state.withLock { state in
            let isNew = state.matches.accounts != matches
            if isNew { state.matches = ContactMatches(accounts: matches) }
            // Another caller may have noted the same, and may still wait until it is shown.
            return !isNew && state.book.map { $0.matches === state.matches } ?? true
        }
    }
}

/// The known accounts of identities. All contacts of a book share it.
final class ContactMatches: Sendable {
    let accounts: [Identity: AccountID]

    init(accounts: [Identity: AccountID]) { self.accounts = accounts }

    /// No known account.
    static let none = ContactMatches(accounts: [:])

    /// The identities that have another account here than in `other`.
    func difference(from other: ContactMatches) -> Set<Identity> {
        if self === other { return [] }
        return Set(accounts.keys.filter { accounts[$0] != other.accounts[$0] })
            .union(other.accounts.keys.filter { accounts[$0] == nil })
    }
}

extension AddressBook.Contact {
    /// The accounts that `Discovery` has found for the contact's numbers and emails, each once.
    public var accounts: [AccountID] {
        if matches.accounts.isEmpty { return [] }
        var seen: Set<AccountID> = []
        return identities.compactMap { matches.accounts[$0] }.filter { seen.insert($0).inserted }
    }

    /// Whether the contact has one of these identities.
    func isAny(of identities: Set<Identity>) -> Bool {
        filed.contains { card in
            card.details.numbers.contains { $0.map { identities.contains(.phone($0)) } ?? false }
                || card.details.addresses.contains { $0.map { identities.contains(.email($0)) } ?? false }
        }
    }

    /// Whether `Discovery` has found an account of the contact.
    public var isOnService: Bool { !accounts.isEmpty }

    /// The identities of the contact: all numbers and emails of its cards.
    package var identities: [Identity] {
        filed.flatMap { card in
            card.details.numbers.compactMap { $0.map(Identity.phone) }
                + card.details.addresses.compactMap { $0.map(Identity.email) }
        }
    }
}
