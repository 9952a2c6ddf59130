import Foundation
public import KithModel

/// What I share with other people, and what comes of it: `client.sharing`.
///
/// ```swift
/// let mine = try await client.sharing.shareable(in: "friends")  // Works at once: offline, and without an account.
/// try showSheet(client.sharing.link(of: mine, by: .sheet))
/// try await client.sharing.share(mine.id, by: .sheet)  // After the user has sent it.
/// ```
///
/// A *programme* is made by the operator of the server: its texts, its rules and its rewards. A *shareable* is what I share
/// in a programme; its code is the end of its link. Shareables, shares, used codes, referrals and rewards are records: they
/// can be read and written offline, the next round sends what is new, and they are the same on all of my devices.
///
/// The server decides who has brought a new person. The code or link that the person has used counts first, then an
/// email or a number that somebody has shared to and the person has proved.
public struct Sharing: Sendable {
    let client: KithClient

    private func edit<T: Sendable>(_ body: @escaping @Sendable (SharingEdits) throws -> T) async throws -> T {
        try await client.edit { try body($0.sharing) }
    }

    // MARK: Reading

    /// My shareables in all programmes, latest first.
    public func shareables() async throws -> [Shareable] { try await all() }

    /// My shares, latest first.
    public func shares() async throws -> [Share] { try await all() }

    /// The codes of other people that I have used, latest first.
    public func claims() async throws -> [Claim] { try await all() }

    /// The people who have joined because of me, latest first.
    public func referrals() async throws -> [Referral] { try await all() }

    /// My rewards, for people who have joined because of me and for joining myself, latest first.
    public func rewards() async throws -> [Reward] { try await all() }

    private func all<Record: OwnRecord>() async throws -> [Record] {
        try await client.replica.read { try Record.fetchAll(in: $0.store) }
    }

    /// The shareable with this id; nil if I have none.
    public func shareable(_ id: ShareableID) async throws -> Shareable? {
        try await client.replica.read { try Shareable.fetch(id, in: $0.store) }
    }

    /// The share with this id; nil if there is none.
    public func share(_ id: ShareID) async throws -> Share? {
        try await client.replica.read { try Share.fetch(id, in: $0.store) }
    }

    /// Everything that I share, now and after each change. The stream ends if the replica cannot be read; any getter then
    /// throws the reason.
    public func liveShareables() -> AsyncStream<[Shareable]> {
        client.replica.live { try Shareable.fetchAll(in: $0.store) }
    }

    /// Changes of everything above. The stream first sends what there is (origin `state`), then each change once.
    ///
    /// After a log-out or a sign-in, all records of the former account are reported as removed, and those of the current
    /// one as added.
    ///
    /// The stream ends if its listener is ``KithClient/unreadChanges`` changes behind. To go on, call `changes()` again.
    public func changes() -> AsyncStream<SharingChanges> {
        client.signals {
            try SharingChanges.state(of: $0)
        } each: {
            $0 == .populated ? SharingChanges(origin: .server, isPopulated: true) : $0.sharing
        }
    }

    // MARK: Shareables

    /// My shareable of a programme. It is made at its first use, with a random code, also offline.
    ///
    /// - Parameters:
    ///   - programme: The name of the programme.
    ///   - key: The app's own name for what is shared, such as the id of a recipe; nil for the default shareable.
    /// - Returns: The shareable, the same each time and on all of my devices. If two devices have each made one while they
    ///   were offline, both links work, and all devices show the one that was made first.
    /// - Throws: ``KithError`` with `tooMany` for more than `Limits.shareables`; `invalid`.
    public func shareable(in programme: String, key: String? = nil) async throws -> Shareable {
        let key = key.flatMap { $0.isEmpty ? nil : $0 }
        let known = try await client.replica.read {
            try Shareable.fetch(of: programme, key: key, in: $0.store)
        }
        if let known { return known }
        return try await edit { try $0.shareable(in: programme, key: key) }
    }

    /// The shareable of a programme that was selected last, on any of my devices; the default one if none was.
    ///
    /// - Throws: ``KithError`` as ``shareable(in:key:)``.
    public func selected(in programme: String) async throws -> Shareable {
        let known = try await client.replica.read { try Shareable.selected(of: programme, in: $0.store) }
        if let known { return known }
        return try await shareable(in: programme)
    }

    /// Selects a shareable among those of its programme.
    public func select(_ id: ShareableID) async throws { try await edit { try $0.select(id) } }

    /// Changes what a shareable is about. The parameters that are nil stay as they are; an empty text removes one.
    ///
    /// - Parameters:
    ///   - id: The shareable.
    ///   - label: A name for the user, such as “Grandma's recipe”.
    ///   - content: A text for the people who open the link.
    ///   - data: The app's own values, as a JSON object.
    ///   - list: A public link of a list, or its token: see ``Lists/publish(_:canTick:expiresIn:)``. The page of the
    ///     shareable then shows the items.
    /// - Throws: ``KithError`` with `notFound`; `invalid`, also for a link that is no public link. The server refuses a token
    ///   that is not one of a public link of its lists: there is then a ``Rejection``.
    public func update(
        _ id: ShareableID, label: String? = nil, content: String? = nil, data: String? = nil, list: String? = nil
    ) async throws {
        try await edit { try $0.update(id, label: label, content: content, data: data, list: list) }
    }

    /// Gives a shareable a code that I have chosen, such as `ADA-TEA`. Its earlier codes go on working, and no other
    /// person ever gets one of them.
    ///
    /// The device checks the code by the rules of the programme, if it has fetched them. The server refuses a code that
    /// somebody else has: the shareable then has its former code again, and there is a ``Rejection`` with the code
    /// `codeTaken`.
    ///
    /// - Throws: ``KithError``: `codeIllegal`, `codeLength`, `codeReserved`; `codeTaken` if another shareable of mine has
    ///   the code; `notFound`.
    public func setCode(_ typed: String, of id: ShareableID) async throws {
        try await edit { try $0.setCode(typed, of: id) }
    }

    /// Removes a shareable from my devices. Its link goes on working, because other people may have it.
    public func remove(_ id: ShareableID) async throws { try await edit { try $0.remove(id) } }

    // MARK: Links

    /// The link of a shareable, for a message, a sheet or a QR code.
    ///
    /// It works when the server has the shareable: see ``isReady(_:)``.
    ///
    /// - Parameters:
    ///   - shareable: The shareable.
    ///   - channel: How the link is shared. The visits of the page are counted for each channel.
    /// - Returns: A link such as `https://kith.example.com/s/ADA-TEA`.
    /// - Throws: ``KithError`` with `noServer` if the client has no server.
    public func link(of shareable: Shareable, by channel: ShareChannel? = nil) throws -> String {
        guard let link = try client.engine.server.requiredConnection().link(of: shareable.code, by: channel) else {
            throw KithError(.noServer, "The server's address is unknown, so there is no link. The code can be shared.")
        }
        return link
    }

    /// Whether the link of a shareable works: the session is ready, and the server has the shareable with its present code.
    public func isReady(_ id: ShareableID) async throws -> Bool {
        try await client.replica.read { try Shareable.isReady(id, in: $0) }
    }

    /// What ``isReady(_:)`` returns, now and after each change.
    public func liveReadiness(of id: ShareableID) -> AsyncStream<Bool> {
        client.replica.live { try Shareable.isReady(id, in: $0) }
    }

    /// Whether the operator has paused the programme of a shareable, as it is stored on the device. Its link opens then, but
    /// the server sends no emails, and what is shared does not count.
    public func isPaused(_ id: ShareableID) async throws -> Bool {
        try await client.replica.read { reading in
            let store = reading.store
            guard let shareable = try Shareable.fetch(id, in: store) else { return false }
            return try StoredProgrammes.fetch(in: store)?[shareable.programme]?.isPaused ?? false
        }
    }

    /// What the app puts into a sheet: the programme's text for the channel, with the link.
    ///
    /// If the server does not answer within two seconds, the text is that of the programme as it was fetched last; the link
    /// alone if it never was. To avoid the wait, call ``programmes(maxAge:)`` before.
    ///
    /// - Parameters:
    ///   - id: The shareable.
    ///   - channel: How it is going to be shared.
    /// - Returns: The content of the sheet. Call ``share(_:by:to:data:id:)`` when the user has completed it.
    /// - Throws: ``KithError`` with `notFound` or `noServer`.
    public func compose(_ id: ShareableID, by channel: ShareChannel) async throws -> ComposedShare {
        guard let shareable = try await shareable(id) else { throw KithError.missing(Shareable.recordKey(id)) }
        let link = try link(of: shareable, by: channel)
        let programme = try await promptProgramme(shareable.programme)
        let name = try await client.network.profile().fullName
        return ComposedShare(shareable, by: channel, of: programme, name: name ?? "", link: link)
    }

    // MARK: Sharing

    /// Stores that I have shared something with a sheet or a channel of the app. Call it only if the user has completed the
    /// sheet.
    ///
    /// - Parameters:
    ///   - shareable: What was shared.
    ///   - channel: How it was shared: `sheet`, `message`, `link`, `scan`, or a channel of the app.
    ///   - recipient: The recipient, if the app knows. A person who later proves this email or number has come from me.
    ///   - data: The app's own values, as a JSON object.
    ///   - id: The identity of the share, if the app has one. A share with the same identity is stored only once.
    /// - Returns: The share.
    /// - Throws: ``KithError``: `notFound`; `invalid`, also for the channel `email`, see
    ///   ``email(_:to:subject:message:language:data:id:)``; `tooMany` for more than `Limits.shares`.
    @discardableResult
    public func share(
        _ shareable: ShareableID, by channel: ShareChannel, to recipient: Identity? = nil, data: String? = nil,
        id: ShareID? = nil
    ) async throws -> Share {
        try await edit { try $0.share(shareable, by: channel, to: recipient, data: data, id: id) }
    }

    /// Shares by an email that the server sends. The message adds my name and the link. The status of the share says
    /// whether it was sent, and why not.
    ///
    /// - Parameters:
    ///   - shareable: What is shared.
    ///   - recipient: The email address.
    ///   - subject: The subject as the user has edited it; nil for that of the programme.
    ///   - message: The text as the user has edited it; nil for that of the programme.
    ///   - language: The language of the message; nil for that of my profile.
    ///   - data: The app's own values, as a JSON object.
    ///   - id: The identity of the share, if the app has one. A share with the same identity is sent only once.
    /// - Returns: The share.
    /// - Throws: ``KithError``: `notFound`; `invalid`; `tooMany` for more than `Limits.shares`.
    @discardableResult
    public func email(
        _ shareable: ShareableID, to recipient: Identity, subject: String? = nil, message: String? = nil,
        language: String? = nil, data: String? = nil, id: ShareID? = nil
    ) async throws -> Share {
        try await edit {
            try $0.email(
                shareable, to: recipient, subject: subject, message: message, language: language, data: data, id: id)
        }
    }

    /// Shares with several people by email. If one email cannot be written, the others still are.
    ///
    /// - Parameters:
    ///   - shareable: What is shared.
    ///   - recipients: The email addresses.
    ///   - subject: The subject as the user has edited it; nil for that of the programme.
    ///   - message: The text as the user has edited it; nil for that of the programme.
    ///   - language: The language of the messages; nil for that of my profile.
    ///   - batch: A text that identifies these emails, if the app has one. A repetition with the same text writes to nobody
    ///     twice.
    /// - Returns: A result for each recipient, in their order. A recipient that is named twice gets one email.
    /// - Throws: ``KithError`` with `tooMany` for more than `Limits.bulkShares` recipients. Nothing is sent then.
    public func email(
        _ shareable: ShareableID, to recipients: [Identity], subject: String? = nil, message: String? = nil,
        language: String? = nil, batch: String? = nil
    ) async throws -> [RecipientResult<Share>] {
        guard recipients.count <= Limits.bulkShares else {
            throw KithError(
                .tooMany,
                "At most \(Limits.bulkShares) people can be written to at once. Write to them in several calls.")
        }
        return try await edit { edits in
            var made: [Identity: Result<Share, KithError>] = [:]
            return try recipients.map { recipient -> RecipientResult<Share> in
                if let result = made[recipient] { return RecipientResult(recipient: recipient, result: result) }
                let result: Result<Share, KithError>
                let id = batch.map { ShareID(stable: "\($0) \(recipient.text)", in: "kith share \(shareable)") }
                do {
                    result = .success(
                        try edits.email(
                            shareable, to: recipient, subject: subject, message: message, language: language, id: id))
                } catch let error as KithError {
                    result = .failure(error)
                }
                made[recipient] = result
                return RecipientResult(recipient: recipient, result: result)
            }
        }
    }

    // MARK: Codes of others, and events

    /// Uses the code of somebody who has shared with me: typed, scanned, or from the link that has opened the app.
    ///
    /// It works offline and before I have signed up. The server binds me to that person when I sign up, or shortly
    /// afterwards; then the claim says so, or why not.
    ///
    /// - Parameter typed: The code in any spelling, or the complete link.
    /// - Returns: The claim. Using the same code again changes nothing.
    /// - Throws: ``KithError``: `codeIllegal`, `codeLength`; `yourOwnCode`; `otherServer` if the link leads to another
    ///   server than the client's, as far as that can be found out now; `tooMany` for more than `Limits.claims`.
    @discardableResult
    public func use(code typed: String) async throws -> Claim {
        try await client.replica.forCurrentAccount {
            try await client.links.check(shareLink: typed)
            return try await edit { try $0.use(code: typed) }
        }
    }

    /// Records an event of the app that a programme can reward, such as a first order. The server counts it once.
    ///
    /// - Parameters:
    ///   - name: The name of the event in the programme.
    ///   - programme: The name of the programme.
    ///   - data: The app's own values, as a JSON object.
    ///   - id: The identity of the event, if the app has one. An event with the same identity is counted only once:
    ///     `SharingEventID(stable: order.number, in: "com.example.orders")`.
    /// - Throws: ``KithError`` with `invalid`.
    public func record(
        event name: String, in programme: String, data: String? = nil, id: SharingEventID? = nil
    ) async throws {
        try await edit { try $0.record(event: name, in: programme, data: data, id: id) }
    }
}

extension Sharing {
    // MARK: Programmes, which are fetched from the server

    /// The programmes of the server, with the texts and zones for the user's language and the state of the account.
    ///
    /// They are stored on the device. Offline, the result is what was fetched last.
    ///
    /// - Parameter maxAge: How old stored programmes may be. If they are older, in another language, or for the other
    ///   state of the account (anonymous or identified), they are fetched again.
    /// - Returns: The programmes, including paused ones.
    /// - Throws: ``KithError`` with `offline`, `busy`, `noServer` … if the device has none and cannot fetch them now.
    public func programmes(maxAge: Duration = .seconds(900)) async throws -> [ShareProgramme] {
        let languages = try await languages()
        let now = client.replica.dependencies.now()
        let (known, isIdentified) = try await client.replica.read {
            (try StoredProgrammes.fetch(in: $0.store), $0.account.session.isIdentified)
        }
        if let known, known.isFresh(at: now, maxAge: maxAge, isIdentified: isIdentified, languages: languages) {
            return known.programmes
        }
        do {
            return try await fetchProgrammes(languages)
        } catch let error as KithError where error.isForNow {
            guard let known else { throw error }
            return known.programmes
        }
    }

    /// The programme with this name.
    ///
    /// - Throws: ``KithError`` with `noProgramme` if the server has none of this name; else as ``programmes(maxAge:)``.
    public func programme(_ name: String, maxAge: Duration = .seconds(900)) async throws -> ShareProgramme {
        guard let programme = try await programmes(maxAge: maxAge).first(where: { $0.name == name }) else {
            throw KithError(
                .noProgramme,
                "The server has no programme “\(name)”. Its operator makes one with kith admin programme create.")
        }
        return programme
    }

    /// The programme with this name for a sheet, which does not wait long for a server: as it is stored, if a newer one does
    /// not come in time; nil if there is none.
    private func promptProgramme(_ name: String) async throws -> ShareProgramme? {
        let current: [ShareProgramme]? = try await withThrowingTaskGroup(of: [ShareProgramme]?.self) { group in
            group.addTask {
                do { return try await programmes() } catch let error as KithError where error.isForNow { return nil }
            }
            group.addTask {
                try await client.replica.dependencies.pause(Self.longestWaitOfSheet)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        if let current { return current.first { $0.name == name } }
        return try await client.replica.read { try StoredProgrammes.fetch(in: $0.store)?[name] }
    }

    private static let longestWaitOfSheet = Duration.seconds(2)

    /// The programmes as they are stored on the device, now and after each time that they were fetched.
    public func liveProgrammes() -> AsyncStream<[ShareProgramme]> {
        client.replica.live { try StoredProgrammes.fetch(in: $0.store)?.programmes ?? [] }
    }

    private func fetchProgrammes(_ languages: [String]) async throws -> [ShareProgramme] {
        let session = try await client.requests.session()
        let programmes = try await client.requests.send(in: session) { try await $0.programmes(in: languages) }
        return try await client.replica.write(origin: .server) { transaction in
            // They are not stored if another account has become the current one meanwhile.
            if transaction.account.id == session.id {
                let stored = StoredProgrammes(
                    programmes, fetched: transaction.now, isIdentified: transaction.account.session.isIdentified,
                    languages: languages)
                try stored.save(in: transaction.store)
            }
            return programmes
        }
    }

    /// The user's languages, best first.
    private func languages() async throws -> [String] {
        let own = try await client.network.profile().language
        var languages: [String] = []
        for tag in [own].compactMap(\.self) + Locale.preferredLanguages where !languages.contains(tag) {
            languages.append(tag)
        }
        return languages
    }
}

extension KithClient {
    /// What I share with other people, and what comes of it.
    public var sharing: Sharing { Sharing(client: self) }
}
