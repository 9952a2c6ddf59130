import Foundation
package import KithModel

/// Adds passkeys to accounts, signs in with them, and shows and removes them (WebAuthn Level 3).
///
/// A device without passkeys, such as a command line, shows the address of a web page to its user. The page finishes the
/// ceremony with the ticket in its address, and the device waits for the outcome.
package struct PasskeyService: Sendable {
    private let database: any Database
    private let verifier: (any PasskeyVerifier)?
    private let settings: PasskeySettings
    /// The name of the service, which devices and the page show.
    let service: String
    private let address: @Sendable () -> String
    private let notices: AccountNotices
    private let signals: SignalSender
    private let ways: WaysIn
    private let random: RandomBytes

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of accounts, passkeys and ceremonies.
    ///   - verifier: Verifies keys and signatures; nil if the program has no verifier.
    ///   - settings: The operator's settings.
    ///   - messages: Sends the message that a passkey was added.
    ///   - service: The name of the service, which devices show.
    ///   - address: Returns the public address of the server.
    ///   - signals: Sends the signals of its commits.
    ///   - ways: The ways in that the operator has switched on.
    ///   - random: The source of random bytes.
    package init(
        database: any Database, verifier: (any PasskeyVerifier)?, settings: PasskeySettings = PasskeySettings(),
        messages: MessageQueue, service: String, address: @escaping @Sendable () -> String,
        signals: SignalSender, ways: WaysIn = WaysIn(),
        random: RandomBytes = .system
    ) {
        (self.database, self.verifier, self.settings, self.service) = (database, verifier, settings, service)
        (self.address, self.signals, self.ways, self.random) = (address, signals, ways, random)
        notices = AccountNotices(messages: messages, random: random)
    }

    /// The accepted algorithms: EdDSA, ES256, RS256.
    private static let algorithms = [-8, -7, -257]

    private var limits: PasskeyLimits { settings.limits }

    /// The verifier and the relying party.
    ///
    /// - Throws: ``ServerError`` with the code `forbidden` if passkeys cannot be used.
    private func prepared() throws(ServerError) -> (any PasskeyVerifier, RelyingParty) {
        guard settings.isOn, let verifier else { throw ServerError(.forbidden, "This server uses no passkeys.") }
        return (verifier, try RelyingParty(settings, address: address()))
    }

    /// The domain of the passkeys, if browsers can use them on the pages of this server.
    var domainInPages: String? {
        guard let party = (try? prepared())?.1, party.address != nil else { return nil }
        return party.id
    }

    // MARK: - Beginning

    /// Begins to add a passkey to the account of a session.
    ///
    /// - Throws: ``ServerError``: `forbidden` if the server uses no passkeys; `tooMany` if the account has
    ///   ``PasskeyLimits/ofAccount``; `malformed`; `tooFast` if too many ceremonies have begun.
    package func beginAdding(
        _ request: PasskeyCeremonyRequest, to account: AccountID, token: String, from client: IPAddress,
        at now: Timestamp
    ) async throws -> PasskeyRegistration {
        let (_, party) = try prepared()
        try check(request)
        let (ticket, session) = (random.token(), Secret.sha256(token))
        let row = CeremonyRow(
            id: CeremonyID(at: now, random: random), kind: .adding, account: account, session: session, from: client,
            name: request.name, challenge: random.bytes(), at: now)
        let options = try await database.write { transaction in
            try begin(row, ticket: ticket, at: now, in: transaction)
            return try creationOptions(of: row, party, in: transaction)
        }
        return PasskeyRegistration(
            id: row.id, options: options, page: page(party, ticket), expires: now + limits.lifetime)
    }

    /// Begins a sign-in. The account is not known yet: the passkey names it.
    ///
    /// - Throws: ``ServerError``: `forbidden` if the server uses no passkeys; `malformed`; `tooFast` if too many
    ///   ceremonies have begun.
    package func beginSignIn(
        _ request: PasskeyCeremonyRequest, from client: IPAddress, at now: Timestamp
    ) async throws -> PasskeySignIn {
        let (_, party) = try prepared()
        try check(request)
        let (ticket, claim) = (random.token(), random.token())
        let row = CeremonyRow(
            id: CeremonyID(at: now, random: random), kind: .signingIn, from: client, name: request.name,
            challenge: random.bytes(), claim: Secret.sha256(claim), at: now)
        try await database.write { transaction in try begin(row, ticket: ticket, at: now, in: transaction) }
        return PasskeySignIn(
            id: row.id, options: requestOptions(of: row, party), page: page(party, ticket), claim: claim,
            expires: now + limits.lifetime)
    }

    private func check(_ request: PasskeyCeremonyRequest) throws {
        try SignInForm.check(request.name, of: "The name", path: "$.name")
    }

    private func begin(_ row: CeremonyRow, ticket: String, at now: Timestamp, in transaction: any Transaction) throws {
        if row.kind == .adding, let account = row.account { try checkRoom(of: account, in: transaction) }
        var counted: [(column: String?, value: SQLValue, limit: Int, of: String)] = [
            ("network", .text(row.network.text), limits.ceremoniesOfNetwork, "network"),
            (nil, .null, limits.ceremoniesInAll, "server"),
        ]
        if let session = row.session {
            counted.append(("session", .bytes(session), limits.ceremoniesOfSession, "device"))
            try transaction.lockName(session)
        }
        // Each ceremony of a device or a network counts the previous ones.
        try transaction.lockName(Secret.sha256(row.network.text))
        for (column, value, limit, name) in counted
        where try transaction.count(
            in: "ceremony", column, value, since: now - limits.lifetime, until: now + limits.lifetime) >= limit
        {
            throw ServerError(
                .tooFast,
                "The limit of \(limit) unfinished uses of passkeys for this \(name) is reached. Try again in five minutes.",
                retryAfter: limits.lifetime)
        }
        try row.insert(ticket: Secret.sha256(ticket), in: transaction)
    }

    private func checkRoom(of account: AccountID, in transaction: any Transaction) throws {
        guard try PasskeyRow.all(of: account, in: transaction).count < limits.ofAccount else {
            throw ServerError(.tooMany, "The account has \(limits.ofAccount) passkeys already. Remove one first.")
        }
    }

    private func creationOptions(
        of row: CeremonyRow, _ party: RelyingParty, in transaction: any Transaction
    ) throws -> PasskeyCreationOptions {
        guard let account = row.account, let challenge = row.challenge else { throw Self.noCeremony }
        let identities = try IdentityRegister(at: row.created).identities(of: account, in: transaction)
        let known = try PasskeyRow.all(of: account, in: transaction).map { PasskeyBytes($0.credential) }
        return PasskeyCreationOptions(
            rp: PasskeyCreationOptions.RelyingParty(id: party.id, name: service),
            user: PasskeyCreationOptions.User(
                id: PasskeyBytes(account.uuid.data), name: identities.first?.shown ?? service),
            challenge: PasskeyBytes(challenge), algorithms: Self.algorithms, timeout: limits.lifetime, excluding: known)
    }

    private func requestOptions(of row: CeremonyRow, _ party: RelyingParty) -> PasskeyRequestOptions {
        PasskeyRequestOptions(
            challenge: PasskeyBytes(row.challenge ?? Data()), rpId: party.id, timeout: limits.lifetime)
    }

    private func page(_ party: RelyingParty, _ ticket: String) -> String? {
        party.address.map { "\($0)/passkey#\(ticket)" }
    }

    // MARK: - Finishing

    /// Adds the passkey that the device has created. The account's emails receive a message.
    ///
    /// - Throws: ``ServerError``: `notFound` if the session has no such ceremony; `passkeyRefused` with the reason;
    ///   `tooMany`.
    package func finishAdding(
        _ id: CeremonyID, _ attestation: PasskeyAttestation, token: String, at now: Timestamp
    ) async throws -> Passkey {
        try await add(attestation, .adding(id, session: Secret.sha256(token)), at: now)
    }

    /// Opens a session of the account whose passkey was used.
    ///
    /// - Throws: ``ServerError``: `notFound` if there is no such ceremony; `passkeyRefused` with the reason.
    package func finishSignIn(
        _ id: CeremonyID, _ assertion: PasskeyAssertion, at now: Timestamp
    ) async throws -> NewSession {
        let token = random.token()
        let account = try await use(assertion, .signingIn(id), at: now) { row, account, transaction in
            let session = Secret.sha256(token)
            row.opened = session
            return try SessionTable.open(session, of: account, device: row.name, at: now, in: transaction)
        }
        return NewSession(account: account, token: token, server: database.server)
    }

    private func add(_ attestation: PasskeyAttestation, _ key: CeremonyRow.Key, at now: Timestamp) async throws
        -> Passkey
    {
        let (verifier, party) = try prepared()
        let (begun, challenge) = try await take(key, .adding, at: now)
        guard let account = begun.account, let session = begun.session else { throw Self.noCeremony }
        let credential = try Self.refusing {
            try PasskeyCheck(challenge: challenge, party: party, verifier: verifier, limits: limits)
                .registration(attestation)
        }
        let passkey = Passkey(
            id: PasskeyID(at: now, random: random), name: begun.name, created: now,
            isSynced: AuthenticatorData(credential).isBackedUp)
        try await signals.commit(in: database) { transaction in
            try AccountLock.take([account], in: transaction)
            // The session may have been revoked meanwhile, or the account deleted, whose sessions stay. Then the page must
            // not add a passkey to it.
            guard try SessionTable.hasAccount(session, in: transaction) else { throw Self.noCeremony }
            try checkRoom(of: account, in: transaction)
            guard try PasskeyRow.find(credential.id, in: transaction) == nil else {
                throw PasskeyRefusal.knownPasskey.error
            }
            var signals = Signals()
            try AccountKind.noteChange(of: account, in: transaction, &signals) {
                try PasskeyRow(passkey, of: account, credential).insert(in: transaction)
            }
            try notices.added(
                [.passkey(name: MessageComposer.line(passkey.name) ?? party.id)], from: begun.address, to: account,
                at: now, in: transaction)
            var row = begun
            (row.isDone, row.passkey) = (true, passkey.id)
            try row.update(in: transaction)
            return Committed((), signals: signals)
        }
        notices.wake()
        return passkey
    }

    /// Verifies the use of a passkey, stores it, and does `body` in the same transaction. Sends the signals
    /// that it returns.
    private func use(
        _ assertion: PasskeyAssertion, _ key: CeremonyRow.Key, at now: Timestamp,
        _ body: @escaping @Sendable (inout CeremonyRow, AccountID, any Transaction) throws -> Signals
    ) async throws -> AccountID {
        let (verifier, party) = try prepared()
        let (begun, challenge) = try await take(key, .signingIn, at: now)
        let credential = assertion.id.data
        guard let used = try await database.read({ try PasskeyRow.find(credential, in: $0) }) else {
            throw PasskeyRefusal.unknownPasskey.error
        }
        let data = try Self.refusing {
            try PasskeyCheck(challenge: challenge, party: party, verifier: verifier, limits: limits)
                .assertion(assertion, by: used.known)
        }
        return try await signals.commit(in: database) { transaction in
            try AccountLock.take([used.account], in: transaction)
            guard let stored = try PasskeyRow.find(used.passkey.id, in: transaction) else {
                throw PasskeyRefusal.unknownPasskey.error
            }
            // Another assertion may have been stored since the first look.
            guard PasskeyCheck.isAbove(data.signCount, stored.signCount) else {
                throw PasskeyRefusal.repeatedCounter.error
            }
            try stored.note(data, at: now, in: transaction)
            var row = begun
            (row.isDone, row.account) = (true, stored.account)
            let signals = try body(&row, stored.account, transaction)
            try row.update(in: transaction)
            return Committed(stored.account, signals: signals)
        }
    }

    /// Removes the challenge of a ceremony and returns it, so that it is verified only once.
    private func take(
        _ key: CeremonyRow.Key, _ kind: CeremonyRow.Kind, at now: Timestamp
    ) async throws -> (row: CeremonyRow, challenge: Data) {
        try await database.write { transaction in
            guard var row = try CeremonyRow.find(key, at: now, lifetime: limits.lifetime, in: transaction),
                row.kind == kind, !row.isDone, let challenge = row.challenge
            else { throw Self.noCeremony }
            row.challenge = nil
            try row.update(in: transaction)
            return (row, challenge)
        }
    }

    private static func refusing<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let refusal as PasskeyRefusal { throw refusal.error }
    }

    private static let noCeremony = ServerError(
        .notFound, "This request for a passkey is over: it was used, or five minutes have passed. Begin again.")

    // MARK: - The web page

    /// What the page shows, and a new challenge.
    ///
    /// - Throws: ``ServerError``: `notFound` if the ticket is unknown, used or expired; `forbidden`.
    package func open(_ request: PasskeyPageRequest, from client: IPAddress, at now: Timestamp) async throws
        -> PasskeyPageState
    {
        let (_, party) = try prepared()
        let challenge = random.bytes()
        return try await database.write { transaction in
            let key = CeremonyRow.Key.ticket(Secret.sha256(request.ticket))
            guard var row = try CeremonyRow.find(key, at: now, lifetime: limits.lifetime, in: transaction), !row.isDone
            else { throw Self.noCeremony }
            row.challenge = challenge
            try row.update(in: transaction)
            var state = PasskeyPageState(
                name: row.name, place: row.address, isElsewhere: row.network != client.network)
            switch row.kind {
            case .adding: state.creation = try creationOptions(of: row, party, in: transaction)
            case .signingIn: state.request = requestOptions(of: row, party)
            }
            return state
        }
    }

    /// Finishes the ceremony of a page.
    ///
    /// - Throws: ``ServerError``: `notFound`, `passkeyRefused`, `tooMany`; `malformed` without a response.
    package func respond(_ response: PasskeyPageResponse, at now: Timestamp) async throws {
        let key = CeremonyRow.Key.ticket(Secret.sha256(response.ticket))
        if let attestation = response.attestation {
            _ = try await add(attestation, key, at: now)
        } else if let assertion = response.assertion {
            _ = try await use(assertion, key, at: now) { _, _, _ in Signals() }
        } else {
            throw ServerError(.malformed, "There is neither an attestation nor an assertion.", path: "$")
        }
    }

    /// The passkey that a page has added; empty until then.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the session has no such ceremony, or it has expired.
    package func outcome(of id: CeremonyID, token: String, at now: Timestamp) async throws -> PasskeyOutcome {
        try await database.read { transaction in
            let key = CeremonyRow.Key.adding(id, session: Secret.sha256(token))
            let row = try CeremonyRow.find(
                key, at: now, lifetime: limits.lifetime, isLocking: false, in: transaction)
            guard let row else { throw Self.noCeremony }
            return PasskeyOutcome(
                passkey: try row.passkey.flatMap { try PasskeyRow.find($0, in: transaction)?.passkey })
        }
    }

    /// The session of the sign-in that a page has finished; empty until then. The claim can be repeated, because the
    /// answer may be lost. The answer then has the same token.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such ceremony, the claim is wrong, or it has
    ///   expired.
    package func claim(_ claim: PasskeyClaim, of id: CeremonyID, at now: Timestamp) async throws -> PasskeyOutcome {
        let server = database.server
        return try await signals.commit(in: database) { transaction in
            guard var row = try CeremonyRow.find(.signingIn(id), at: now, lifetime: limits.lifetime, in: transaction),
                let hash = row.claim, Secret.areEqual(hash, Secret.sha256(claim.claim))
            else { throw Self.noCeremony }
            guard row.isDone, let account = row.account else { return Committed(PasskeyOutcome()) }
            let session = try RepeatableSession(
                of: account, from: ["passkey", id.description, claim.claim], random: random, in: transaction)
            let opened = try session.open(repeating: row.opened, device: row.name, at: now, in: transaction)
            guard let signals = opened else { throw Self.noCeremony }
            row.opened = session.hash
            try row.update(in: transaction)
            let new = NewSession(account: account, token: session.token, server: server)
            return Committed(PasskeyOutcome(session: new), signals: signals)
        }
    }

    // MARK: - The passkeys of an account

    /// The passkeys of an account, oldest first.
    package func list(of account: AccountID) async throws -> PasskeyList {
        PasskeyList(passkeys: try await database.read { try PasskeyRow.all(of: account, in: $0).map(\.passkey) })
    }

    /// Removes a passkey. An account without a way in is anonymous again: after its last session has ended, nobody can
    /// sign in to it. The sessions that were opened with the passkey stay open. A sign-in that a page has finished and no
    /// device has claimed ends.
    ///
    /// - Throws: ``ServerError``: `notFound` if the account has no such passkey; `lastWayIn` if nobody could sign in to the
    ///   account without it, and `evenLast` is false.
    package func remove(_ id: PasskeyID, of account: AccountID, evenLast: Bool = false) async throws {
        try await signals.commit(in: database) { transaction in
            try ways.remove("The passkey", of: account, evenLast: evenLast, in: transaction) {
                guard try PasskeyRow.remove(id, of: account, in: transaction) else {
                    throw ServerError(.notFound, "The account has no such passkey.")
                }
                try SessionService.endUnclaimedSignIns(to: account, in: transaction)
            }
        }
    }
}
