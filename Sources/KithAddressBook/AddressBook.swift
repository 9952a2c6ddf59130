public import Foundation
public import Kith
public import KithCards
public import KithModel
import Synchronization

/// The device's own address book: every contact of every source, at once.
///
/// ```swift
/// let book = client.addressBook
/// try await book.addSource(.vCardFile(URL(filePath: "contacts.vcf")))
/// for contact in try await book.loaded() { print(contact.displayName, contact.phones.first?.original ?? "") }
/// for contact in book.suggestions(for: "0664 12") { print(contact.displayName) }
/// ```
///
/// The contacts are loaded in the background when they are first requested, and kept in memory. The sources are watched
/// as long as the app retains the address book or its client: a changed source is read again, and observers receive the
/// differences. Meanwhile, and if a source cannot be read, the earlier contacts stay readable.
///
/// The getters work on any thread and answer at once: ``contacts``, ``sections``, ``contact(_:)``,
/// ``suggestions(for:limit:)`` … The contacts that they return change only on the main actor, at the moment when
/// subscribers are notified.
public final class AddressBook: Sendable {
    let loader: AddressBookLoader
    private let registry: SourceRegistry
    package var schedule: PollingSchedule { registry.schedule }
    /// Allows one choice of the user to be stored at a time.
    let lock = AsyncLock()

    /// The longest pause before a source that could not be read is read again.
    public static let longestPause = AddressBookMachine.longestPause

    /// - Parameters:
    ///   - credentials: The store of the accounts' passwords.
    ///   - dependencies: The dependencies of the address book.
    ///   - open: Opens the store. If it fails, there are no contacts, and ``loaded()`` throws the same error.
    package init(
        credentials: any CredentialStore, _ dependencies: AddressBookDependencies, open: () throws -> AddressBookStore
    ) {
        loader = AddressBookLoader(credentials: credentials, dependencies, open: open)
        registry = SourceRegistry(loader: loader, schedule: PollingSchedule(every: dependencies.accountInterval))
        registry.openStored()
    }

    /// Where a damaged file of the address book was moved when this client was opened; nil if the file was intact.
    public var damagedFile: URL? { try? loader.store.movedAside }

    // MARK: Reading

    /// The contacts in order; nil before the first load, which this call starts.
    ///
    /// Empty only if there are no contacts. During a later load, and if that fails, these are the earlier contacts.
    public var contacts: [Contact]? { loader.asked()?.contacts }

    /// The contacts by their first letters; empty before the first load, which this call starts.
    public var sections: [ContactSection] { loader.asked()?.sections ?? [] }

    /// The current contacts of the sources. Returns when every source has been read.
    ///
    /// If a source cannot be read, its earlier contacts are returned.
    ///
    /// - Throws: `KithError` if there is nothing to return, with the error of the first source: `denied`, `notFound`,
    ///   `forbidden`, `unreadable`, `offline`, `unauthorized`, `refused`, `tooMany`, `busy`; `CancellationError` if the
    ///   task is cancelled.
    public func loaded() async throws -> [Contact] { try await loader.loaded().contacts }

    /// Reads all sources again, as for “pull to refresh”: at once, also a source that has just failed, unless its server has
    /// asked for a pause.
    public func reload() { loader.post(.reload) }
}

// MARK: - Searching

/// Searches of the shown contacts, which return at once. Before the first load they find nothing, and start it.
extension AddressBook {
    /// The contact with this id, or with a card that has this id; nil if there is none.
    public func contact(_ id: Contact.ID) -> Contact? { loader.asked()?.contact(id) }

    /// The contact with a phone number in any spelling; nil if there is none.
    ///
    /// Numbers are compared in E.164 form; numbers without such a form are compared by their digits. If several
    /// contacts have the number, the names decide: the first contact with both names, else with the family name, else
    /// with the given name, else the first contact.
    public func contact(withPhone number: String, given: String? = nil, family: String? = nil) -> Contact? {
        loader.asked()?.contact(
            withPhone: PhoneIdentity(number, loader.reader.e164(number)), NameQuery(given: given, family: family))
    }

    /// The contact with this number; nil if there is none.
    public func contact(withPhone number: E164, given: String? = nil, family: String? = nil) -> Contact? {
        loader.asked()?.contact(withPhone: .e164(number), NameQuery(given: given, family: family))
    }

    /// The contact with an email address in any spelling; nil if there is none. If several contacts have it, the names
    /// decide, as for numbers.
    public func contact(withEmail address: String, given: String? = nil, family: String? = nil) -> Contact? {
        loader.asked()?.contact(withEmail: address, NameQuery(given: given, family: family))
    }

    /// The contacts that contain each word of `text` in their names, numbers, emails, companies, addresses, notes …,
    /// regardless of accents, or whose names sound similar.
    ///
    /// Names in other scripts are also found by their Latin spelling, and Latin names by words in other scripts.
    ///
    /// - Parameters:
    ///   - text: The words.
    ///   - limit: The maximum number of contacts; nil for all.
    /// - Returns: First the contacts with this name, then those with a name that begins with the words, then the
    ///   others; each group in order.
    public func search(_ text: String, limit: Int? = nil) -> [Contact] {
        loader.asked()?.search(FindQuery(text, loader.reader), limit: limit ?? .max) ?? []
    }

    /// Suggestions while a user types a number or a name.
    ///
    /// First come contacts with a number that begins with the text, then contacts with a name that does (whole words
    /// before beginnings), then contacts with a number that does after its area code; each group in order.
    ///
    /// A number can be typed in its national or international form, or without its prefix, with or without separators:
    /// `0664 12`, `+4366412`, `664`. Each of several words must begin a word of the name. `mueller` finds Müller;
    /// `o brien` and `brien` find O’Brien.
    public func suggestions(for typed: String, limit: Int = 20) -> [Contact] {
        loader.asked()?.suggestions(for: FindQuery(typed, loader.reader), limit: limit) ?? []
    }

    /// A contact's photo, read from its card now; nil if no card contains one.
    ///
    /// It is the preferred photo of the first card that contains any. A photo that is only linked is not fetched,
    /// because its server would learn who looks at it. The link is in the `Card.media` of the card.
    ///
    /// - Throws: `KithError`: `notFound` if the card is gone; any error of the source.
    public func photo(of contact: Contact) async throws -> ContactPhoto? {
        for card in contact.cards where card.card.media.contains(where: \.isEmbeddedPhoto) {
            let vCard = try await vCard(of: card)
            let photos = Card(vCard).media.filter(\.isEmbeddedPhoto)
            for photo in photos.sorted(by: { ($0.pref ?? Self.noPreference) < ($1.pref ?? Self.noPreference) }) {
                if let bytes = vCard.data(of: photo) { return ContactPhoto(bytes: bytes, mediaType: photo.mediaType) }
            }
        }
        return nil
    }

    /// The rank of a photo without a preference: after 100, the lowest preference (RFC 9553, section 1.5.4).
    private static let noPreference = 101

    /// The bytes of a card, read from its source now.
    ///
    /// - Throws: `KithError`: `notFound` if the card or its source is gone; any error of the source.
    public func vCard(of card: SourcedCard) async throws -> VCard {
        try await source(card.source).vCard(card.reference)
    }
}

// MARK: - Observing

extension AddressBook {
    // MARK: Subscribing

    /// Notifies `subscriber` of the contacts, and of changes and failures from now on, on the main actor. Starts the first load
    /// if needed.
    ///
    /// The subscriber is not retained. A second call for the same object adds nothing.
    ///
    /// - Parameters:
    ///   - subscriber: The object to notify.
    ///   - keepsCache: Whether it maintains a cache that other subscribers read. Such subscribers are notified first.
    public func subscribe(_ subscriber: any AddressBookSubscriber, keepsCache: Bool = false) {
        loader.subscribe(subscriber, keepsCache: keepsCache)
    }

    /// Stops notifying `subscriber`, even of a change that is being reported to other subscribers at this moment.
    public func unsubscribe(_ subscriber: any AddressBookSubscriber) {
        loader.state.withLock { $0.subscribers.remove(subscriber) }
    }

    // MARK: Listening

    /// Changes of the contacts: first all contacts (origin `state`) when they are loaded, then each difference once.
    ///
    /// A listener that falls `KithClient.unreadChanges` changes behind is ended. To continue, call `changes()` again.
    /// While there is a listener, accounts are polled every minute: see `KithConfiguration.accountInterval`.
    public func changes() -> AsyncStream<Changed<Contact>> {
        let (changes, continuation) = AsyncStream<Changed<Contact>>.makeStream(
            bufferingPolicy: .bufferingOldest(loader.dependencies.unreadChanges))
        let id = loader.state.withLock { state in
            // Under the lock, so that no difference is lost between the state and the first difference.
            if let book = state.book { continuation.yield(Changed(added: book.contacts, origin: .state)) }
            let id = state.nextNumber()
            state.listeners[id] = LoaderState.Listener(continuation: continuation, hasState: state.book != nil)
            return id
        }
        schedule.beginWatching()
        continuation.onTermination = { [weak loader, schedule] _ in
            schedule.endWatching()
            loader?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        loader.asked()
        return changes
    }

    /// The sources and their states, now and after each change.
    public func liveSources() -> AsyncStream<[SourceStatus]> {
        let (statuses, continuation) = AsyncStream<[SourceStatus]>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = loader.state.withLock { state in
            continuation.yield(state.statuses)
            let id = state.nextNumber()
            state.statusListeners[id] = continuation
            return id
        }
        continuation.onTermination = { [weak loader] _ in
            loader?.state.withLock { _ = $0.statusListeners.removeValue(forKey: id) }
        }
        return statuses
    }
}

// MARK: - Sources

extension AddressBook {
    /// The sources and their states, oldest first.
    ///
    /// The order matters: a person in several sources is shown under the name in the oldest source.
    public var sources: [SourceStatus] { loader.state.withLock(\.statuses) }

    /// Adds a source, which is opened again at each start. If the source has been added already, it only gets the new
    /// password. An account counts as added already if its server says that it is the same one under another address, and
    /// so does one address book of an account that is a source.
    ///
    /// - Parameters:
    ///   - location: The location of the source.
    ///   - name: The name to show; nil for the name of the file or the account.
    ///   - password: The account's password. It is stored with the session tokens.
    /// - Returns: The id of the source.
    /// - Throws: `KithError`: `invalid` if no source can be at this location; `refused` if one address book of the account
    ///   is a source, which has to be removed first; `diskFull`, `database`, `credentials` if storing fails.
    @discardableResult
    public func addSource(
        _ location: SourceLocation, name: String? = nil, password: String? = nil
    ) async throws -> SourceID {
        try await lock.withLock { try await registry.add(location, name: name, password: password) }
    }

    /// Adds a source that the app has created. The app adds it again after each start.
    ///
    /// - Parameters:
    ///   - source: The source. It replaces an existing source with this id.
    ///   - id: The id of the source. Use the same one each time, because the user's links are stored with it.
    ///   - name: The name to show.
    public func addSource(_ source: any AddressBookSource, id: SourceID, name: String) {
        registry.add(source, SourceStatus(id: id, name: name, location: nil))
    }

    /// The edits that an account does not have yet, oldest first; empty for a source of another kind.
    ///
    /// - Throws: `KithError` if they cannot be read: `database` …
    public func unsentEdits(of id: SourceID) async throws -> [UnsentEdit] { try await registry.unsentEdits(of: id) }

    /// Removes a source with its contacts, its password, and the user's decisions about its cards. The contacts are
    /// gone when this returns.
    ///
    /// Edits that an account does not have yet are lost. Ask the user first if ``unsentEdits(of:)`` has any.
    ///
    /// - Throws: `KithError`: `notFound` if there is no such source; `diskFull`, `database`, `credentials` if that fails.
    public func removeSource(_ id: SourceID) async throws {
        _ = try source(id)
        try await lock.withLock { try await registry.remove(id) }
        await loader.answered(\.arrangement)
    }

    /// Removes all that the address book stores on this device: its sources with the copies of their cards, edits that were not
    /// sent, and passwords; the user's links, region and order. The files and accounts themselves stay as they are.
    ///
    /// `Accounts.dropEverything()` does not do this. Sources that the app has created stay until ``removeSource(_:)``, and
    /// damaged files that were moved aside stay until the app deletes them (``damagedFile``).
    ///
    /// - Throws: `KithError`: `newerVersion`; `diskFull`, `database`, `credentials`: repeat the call then.
    public func removeAllData() async throws {
        try await lock.withLock { try await registry.removeAll() }
        await loader.arranged()
    }

    /// Adds cards to a source durably, except cards with the uid and name of an existing one. Then shows them.
    ///
    /// - Returns: The new cards, and those that were left out although they differ from an existing one.
    /// - Throws: `KithError`: `notFound` if there is no such source; `forbidden` if it is read-only; `offline` if it
    ///   cannot be reached; `refused` if it cannot hold a card; `busy` if others keep changing it; `diskFull` … If it has
    ///   added some cards nevertheless, the cause is ``UnaddedCards``.
    public func add(_ cards: [VCard], to id: SourceID) async throws -> AddedCards {
        try await registry.add(cards, to: id)
    }

    /// Writes an edited card back to its file, folder or account, and changes only the bytes of the edited properties.
    ///
    /// ```swift
    /// let original = try await book.vCard(of: card)
    /// var edited = original
    /// edited.apply(content)  // a Card, as the user has edited it
    /// try await book.save(edited, editedFrom: original, of: card)
    /// ```
    ///
    /// Changes that another program has made in the meantime are kept: the two edits are merged, property by property.
    /// An edit of an account's card is on the disk when this returns, and is sent when the server can be reached. If
    /// the server refuses it then, it becomes one of the source's faults, until the card is saved again or the edit is
    /// discarded (``discardEdit(of:in:)``).
    ///
    /// - Parameters:
    ///   - edited: The card with the edit.
    ///   - original: The card as ``vCard(of:)`` returned it.
    ///   - card: The card of a contact.
    /// - Returns: The card's new reference, and whether the edit has reached the source. If it has, the edit is shown
    ///   when this returns; if not, a moment later.
    /// - Throws: `KithError`: `conflict`, caused by a ``CardConflict``, if another program has changed the same
    ///   properties; `notFound` if the card or its source is gone; `forbidden` if the source is read-only; `refused`
    ///   if it does not accept the card; `diskFull`, `busy` …
    @discardableResult
    public func save(
        _ edited: VCard, editedFrom original: VCard, of card: SourcedCard
    ) async throws -> SavedCard {
        try await registry.save(edited, editedFrom: original, of: card)
    }

    /// Removes a card from its file, folder or account. A contact of several cards keeps the others.
    ///
    /// - Parameters:
    ///   - card: The card of a contact.
    ///   - original: The card as ``vCard(of:)`` returned it.
    /// - Returns: Whether the source has removed it; if not, it is removed when the server can be reached.
    /// - Throws: The errors of ``save(_:editedFrom:of:)``; `conflict` if the card has changed since it was read.
    @discardableResult
    public func remove(_ card: SourcedCard, asRead original: VCard) async throws -> Bool {
        try await registry.remove(card, asRead: original)
    }

    /// Discards the edit of a card that its account does not have yet. The contact shows the account's card a moment later.
    ///
    /// This also works if the account no longer has the card, or cannot be opened. If the answer to the edit was lost, the
    /// account may have it.
    ///
    /// - Throws: `KithError`: `notFound` if there is no such source; `diskFull`, `database` …
    public func discardEdit(of card: CardReference, in source: SourceID) async throws {
        try await registry.discardEdit(of: card, in: source)
    }

    package func source(_ id: SourceID) throws -> any AddressBookSource { try registry.source(id) }
}

// MARK: - The user's choices

extension AddressBook {
    // MARK: Linking

    /// Shows these contacts as one, whatever their cards contain. The decision is stored.
    ///
    /// - Throws: `KithError`: `notFound`; `invalid` for a group and a person; `tooMany` for more than 100 cards.
    public func link(_ ids: [Contact.ID]) async throws {
        var cards: [IndexedCard] = []
        for card in try ids.flatMap({ try known($0).indexed }) where !cards.contains(card) { cards.append(card) }
        guard Set(cards.map { $0.card.kind == .group }).count <= 1 else {
            throw KithError(
                .invalid, "A group cannot be linked with a person. Link people with people.")
        }
        try await keep(LinkDecisions.link(try few(cards)))
    }

    /// Shows a contact's cards as separate contacts, whatever they have in common. The decision is stored.
    ///
    /// - Parameters:
    ///   - id: The contact.
    ///   - card: The card to separate, while the others stay together; nil to separate all.
    /// - Throws: `KithError`: `notFound`; `tooMany` for more than 100 cards.
    public func unlink(_ id: Contact.ID, card: SourcedCard? = nil) async throws {
        let cards = try few(try known(id).indexed)
        guard let card else { return try await keep(LinkDecisions.part(cards)) }
        guard cards.contains(card.id) else {
            throw KithError(.notFound, "That card is not one of the contact's. It may have changed: look again.")
        }
        try await keep(LinkDecisions.part(card.id, from: cards))
    }

    private func known(_ id: Contact.ID) throws -> Contact {
        if let contact = contact(id) { return contact }
        throw KithError(.notFound, "There is no contact “\(id)”. It may have been removed, or not be loaded yet.")
    }

    private func few(_ cards: [IndexedCard]) throws -> [Contact.ID] {
        guard cards.count <= LinkDecisions.mostCards else {
            throw KithError(
                .tooMany,
                "One decision covers at most \(LinkDecisions.mostCards) cards; these are \(cards.count). Name fewer.")
        }
        return cards.map(\.id)
    }

    /// Stores decisions, and returns when they are shown.
    private func keep(_ decisions: [LinkDecisions.Decision]) async throws {
        try await lock.withLock {
            try await loader.store.keep(decisions)
            loader.state.withLock { $0.decisions.take(decisions) }
        }
        await loader.arranged()
    }

    // MARK: Order

    /// The part of the name by which contacts are sorted.
    public var nameOrder: NameOrder { loader.state.withLock(\.order) }

    /// Sets the part of the name by which contacts are sorted. The choice is stored, and shown when this returns.
    ///
    /// - Throws: `KithError` if it cannot be stored: `diskFull`, `database`.
    public func setNameOrder(_ order: NameOrder) async throws {
        try await lock.withLock {
            try await loader.store.set(.nameOrder, order.rawValue)
            loader.state.withLock { $0.order = order }
        }
        await loader.arranged()
    }

    // MARK: Numbers

    /// The region of numbers without a country code: the user's choice, else the client's configuration, else the
    /// region of the locale. Nil if none of them has one.
    public var region: Region? { loader.region }

    /// Sets the region, and parses the original text of all numbers again. The choice is stored.
    ///
    /// Contacts whose numbers change are reported as modified, before this call returns.
    ///
    /// - Parameter region: The user's choice; nil to remove it.
    /// - Throws: `KithError` if it cannot be stored: `diskFull`, `database`.
    public func setRegion(_ region: Region?) async throws {
        try await lock.withLock {
            try await loader.store.set(.region, region?.code)
            loader.state.withLock { $0.ownRegion = region }
        }
        await loader.arranged()
    }

    /// The details of a number as dialled in a region: its national and international forms, and its type.
    ///
    /// Without a `PhoneNumberParser`: the original text, and the E.164 form if the number has a country code.
    ///
    /// - Parameters:
    ///   - written: The number, as somebody has written it.
    ///   - region: The region; nil for ``region``.
    /// - Returns: The details.
    public func phoneNumber(_ written: String, in region: Region? = nil) -> PhoneNumber {
        var reader = loader.reader
        if let region { reader = PhoneReader(parser: reader.parser, region: region) }
        if let parser = reader.parser { return parser.parse(written, in: reader.region) }
        return PhoneNumber(
            original: written, e164: reader.e164(written), national: written, international: written, kind: .unknown,
            isValid: false)
    }

    /// Formats the typed part of a number as in ``region``: `0664 123`. Existing separators are ignored, so a text
    /// field can pass its own content.
    ///
    /// Without a `PhoneNumberParser`, the text itself.
    public func formatted(asTyped text: String) -> String {
        loader.dependencies.phoneNumbers?.formatted(asTyped: text, in: region) ?? text
    }
}

// MARK: - The accounts of contacts

extension AddressBook {
    /// All numbers in E.164 form and all emails in canonical form: the identities by which people can be found.
    ///
    /// Each identity is listed once. Short codes, numbers without an area code and other texts are not identities. What
    /// another process has changed of the sources and the region is taken over first.
    ///
    /// - Throws: The errors of ``loaded()``.
    package func identities() async throws -> Set<Identity> {
        try await lock.withLock { try registry.refresh() }
        return try await loader.loaded().tables.identities()
    }

    /// The identity in a typed text: a number as dialled in ``region``, or an email; nil if it is neither.
    package func identity(_ text: String) -> Identity? {
        if let identity = Identity(text) { return identity }
        if let address = EmailAddress(text) { return .email(address) }
        return loader.reader.e164(text).map(Identity.phone)
    }

    /// Runs `body` before the first load, and not at all if the app never loads the address book.
    func beforeFirstLoad(_ body: @escaping @Sendable () async -> Void) { loader.state.withLock { $0.beginning = body } }

    /// Shows the matches of the current account from now on, as ``ShownMatches`` does.
    func showMatches(in replica: Replica) async { await ShownMatches(loader: loader, replica: replica).follow() }

    /// Shows the matches of an account, if it is the current one.
    package func show(_ accounts: [Identity: AccountID], of account: ReplicaAccount.Mark, in replica: Replica) async {
        await ShownMatches(loader: loader, replica: replica).show(accounts, of: account)
    }
}
