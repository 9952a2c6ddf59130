import Foundation
package import KithModel

/// Creates, shows, revokes and accepts the links of lists, in one transaction: invitations, and public links for reading.
///
/// Only a list's owner creates, sees and revokes its links. For anyone else, the list does not exist.
package struct LinkTransaction {
    private let transaction: any Transaction
    private let now: Timestamp
    private let server: ServerID
    private let random: RandomBytes

    /// The default lifetime of an invitation.
    static let usualExpiry = Duration.days(14)
    /// The maximum lifetime of a link.
    static let longestExpiry = Duration.days(365)

    /// Operations on the links that `transaction` reads and writes.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - now: The server's time.
    ///   - server: The id of the server, for the answers.
    ///   - random: The source of random bytes.
    package init(
        _ transaction: any Transaction, at now: Timestamp, on server: ServerID,
        random: RandomBytes = .system
    ) {
        self.transaction = transaction
        self.now = now
        self.server = server
        self.random = random
    }

    // MARK: The owner's operations

    /// Creates a link. The answer has its token, which only a repeated request shows again. The caller sets `url`.
    ///
    /// - Parameters:
    ///   - request: What the link is for.
    ///   - list: The list.
    ///   - account: The account that asks.
    ///   - key: The key of the request; nil if it has none, so that it cannot be repeated.
    /// - Returns: The link.
    /// - Throws: ``ServerError`` with the code `notFound` to anyone but the owner, `malformed` for an invalid role or
    ///   expiry or for an invitation that can tick, `tooMany` at ``Limits/links`` live links; `linkExpired` if the request
    ///   is repeated, and its link has expired or was revoked.
    package func create(
        _ request: LinkRequest, for list: ListID, by account: AccountID, key: RequestKey? = nil
    ) throws -> Committed<ListLink> {
        let isPublic = request.isPublic ?? false
        guard isPublic || request.role < .owner else {
            throw ServerError(
                .malformed, "A link makes viewers or editors. To hand the list over, set a member's role.",
                path: "$.role")
        }
        let canTick = request.canTick ?? false
        guard isPublic || !canTick else {
            throw ServerError(
                .malformed, "Only a public link can tick. People who join as editors tick without it.",
                path: "$.canTick")
        }
        let longest = Self.longestExpiry.milliseconds / 1000
        guard request.expiresIn.map({ (1...longest).contains($0) }) ?? true else {
            throw ServerError(
                .malformed, "A link is good for at least 1 second and at most \(Self.longestExpiry.words).",
                path: "$.expiresIn")
        }
        var ledger = try ledger(of: list, ownedBy: account)
        let token = try token(for: request, to: list, by: account, key)
        if key != nil, let made = try StoredLink.find(tokenHash: Secret.sha256(token), in: transaction) {
            return Committed(try shown(again: made, token))
        }
        guard try StoredLink.live(of: list, at: now, in: transaction).count < Limits.links else {
            throw ServerError(
                .tooMany, "The list has \(Limits.links) live links; no more fit. Revoke one first.")
        }
        let expiry = request.expiresIn.map { Duration.seconds($0) } ?? (isPublic ? nil : Self.usualExpiry)
        let link = StoredLink(
            link: ListLink(
                id: LinkID(at: now, random: random), list: list,
                role: isPublic ? .viewer : request.role,
                isPublic: isPublic, canTick: canTick ? true : nil, created: now, expires: expiry.map { now + $0 },
                accepted: 0,
                server: server),
            isRevoked: false)
        try link.insert(tokenHash: Secret.sha256(token), in: transaction)
        if isPublic {
            ledger[ListRules.Facts.self].publicLists.insert(list.retyped())
            ledger.settleAccess(of: list.retyped())
        }
        let signals = try ledger.write(in: transaction)
        var answer = link.link
        answer.token = token
        return Committed(answer, signals: signals)
    }

    /// The token of a new link, or of the one that the same request has made before.
    private func token(
        for request: LinkRequest, to list: ListID, by account: AccountID, _ key: RequestKey?
    ) throws -> String {
        guard let key else { return random.token() }
        let content = [
            request.role.rawValue, String(request.isPublic ?? false), String(request.canTick ?? false),
            String(request.expiresIn ?? 0),
        ]
        let source = try key.secrets(
            of: ["link", account.description, list.description] + content, random: random, in: transaction)
        return source.token()
    }

    /// The answer to a repeated request.
    private func shown(again made: StoredLink, _ token: String) throws -> ListLink {
        guard !made.isRevoked, made.link.expires.map({ $0 > now }) ?? true else {
            throw ServerError(
                .linkExpired,
                "This request has made its link before, which was revoked or has expired. Send a new Idempotency-Key.")
        }
        var answer = shown(made.link)
        answer.token = token
        return answer
    }

    /// The live links of a list, oldest first.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` to anyone but the owner.
    package func links(of list: ListID, by account: AccountID) throws -> ListLinks {
        try checkOwner(account, of: list)
        let links = try StoredLink.live(of: list, at: now, in: transaction)
        return ListLinks(links: links.map(shown))
    }

    /// Revokes a link. It cannot be used to join or read afterwards.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` to anyone but the owner, or if the link does not exist.
    package func revoke(_ id: LinkID, of list: ListID, by account: AccountID) throws -> Committed<ListLink> {
        var ledger = try ledger(of: list, ownedBy: account)
        let live = try StoredLink.live(of: list, at: now, in: transaction)
        guard let link = live.first(where: { $0.id == id }) else {
            throw ServerError(.notFound, "The list has no such link; it may have been revoked before.")
        }
        try transaction.execute("UPDATE link SET revoked = 1, expires = ? WHERE id = ?", [.time(now), .id(id)])
        if !live.contains(where: { $0.isPublic && $0.id != id }) {
            ledger[ListRules.Facts.self].publicLists.remove(list.retyped())
        }
        ledger.settleAccess(of: list.retyped())
        var signals = try ledger.write(in: transaction)
        // The list may not have changed, but the pages of the link end.
        signals.changedPages.insert(list.retyped())
        return Committed(shown(link), signals: signals)
    }

    /// The people that the list's owner has removed. They cannot join with an invitation link.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` to anyone but the owner.
    package func removed(of list: ListID, by account: AccountID) throws -> RemovedPeople {
        try checkOwner(account, of: list)
        return RemovedPeople(people: try RemovedTable.all(of: list, in: transaction))
    }

    /// Allows a removed person to join with an invitation link again.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` to anyone but the owner, or if the person was not removed.
    package func letIn(_ person: AccountID, to list: ListID, by account: AccountID) throws {
        try checkOwner(account, of: list)
        guard try RemovedTable.remove(person, of: list, in: transaction) else {
            throw ServerError(.notFound, "The list does not keep this person out: they can join by an invitation link.")
        }
    }

    private func checkOwner(_ account: AccountID, of list: ListID) throws {
        let role = try transaction.query(
            "SELECT role FROM access WHERE account = ? AND feed = ?", [.id(account), .id(list)])
        // An account also owns its own feed, which is not a list.
        guard try role.first?.text(0) == Role.owner.rawValue, account.uuid != list.uuid else { throw Self.noSuchList }
    }

    // MARK: Operations with a token

    /// A preview of the link of `token`. It needs no session: anyone with the token may see it.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` or `linkExpired`.
    package func preview(_ token: String) throws -> LinkPreview {
        let link = try link(of: token)
        let list: FeedID = link.list.retyped()
        let row = try transaction.query(
            """
            SELECT record.fields, feed.live, (SELECT COUNT(*) FROM access WHERE access.feed = feed.id)
            FROM feed JOIN record ON record.feed = feed.id AND record.id = feed.id WHERE feed.id = ?
            """, [.id(list)]
        ).first
        guard let row else { throw Self.noSuchLink }
        let members = try row.integer(2)
        let fields = try DamagedRecord.naming(DamagedRecord(feed: list, record: list.retyped())) {
            try StoredText.fields(try row.text(0))
        }
        return LinkPreview(
            list: link.list, name: fields["name"]?.text ?? "", role: link.role,
            isPublic: link.isPublic, items: Int(try row.integer(1) - members - 1), members: Int(members),
            expires: link.expires, server: server)
    }

    /// Lets `account` join the list of an invitation. Accepting twice has the same effect as accepting once, and never
    /// lowers a role.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` or `linkExpired`, `conflict` to the list's owner, `forbidden`
    ///   to someone that the owner has removed, `tooMany` if the list has ``Limits/members`` people or the account has
    ///   ``Limits/lists`` lists, `accountClosed` if the account was deleted.
    package func accept(_ token: String, by account: AccountID) throws -> Committed<LinkAcceptance> {
        let link = try link(of: token)
        let list: FeedID = link.list.retyped()
        guard !link.isPublic else {
            throw ServerError(.notFound, "This link is for reading only. Ask the list's owner for an invitation.")
        }
        var needs = LedgerNeeds()
        needs.changeRoles(of: account, in: list)
        needs[ListRules.Needs.self].countsLists = true
        var ledger = try Ledger.open(needs, for: account, at: now, in: transaction)
        try checkAgain(token)
        // The account may have been deleted since its token was checked.
        guard ledger.feed(account.retyped())?.isClosed == false else { throw ServerError.accountClosed }
        let old = ledger.role(of: account, in: list)
        if old == .owner {
            throw ServerError(.conflict, "The list is your own. Send the link to those who are to join.")
        }
        if let old, old >= link.role { return Committed(LinkAcceptance(list: link.list, role: old)) }
        if old == nil {
            if try RemovedTable.contains(account, of: link.list, in: transaction) {
                throw ServerError.removedFromList
            }
            if let fault = ledger.fault(ofJoining: list, by: account) { throw fault }
            try transaction.execute("UPDATE link SET accepted = accepted + 1 WHERE id = ?", [.id(link.id)])
        }
        ledger.join(account, list, as: link.role)
        let signals = try ledger.write(in: transaction)
        return Committed(LinkAcceptance(list: link.list, role: link.role), signals: signals)
    }

    /// A public link, for anyone who has its token.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` or `linkExpired`.
    package func publicLink(_ token: String) throws -> ListLink {
        let link = try link(of: token)
        guard link.isPublic else {
            throw ServerError(.notFound, "This link is an invitation. Accept it to see the list.")
        }
        return link
    }

    /// The list of a public link, for anyone who has its token. It has at most ``Limits/page`` items, and at most those
    /// that fit into ``Limits/pageBytes``, in the order of their ids, which is the order of their creation.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` or `linkExpired`.
    package func publicList(_ token: String) throws -> PublicList { try linkedList(token).list }

    /// The list of a public link with what its page shows besides, with at most `limit` items.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` or `linkExpired`.
    package func linkedList(_ token: String, limit: Int = Limits.page) throws -> LinkedList {
        let link = try publicLink(token)
        let list = try transaction.query(
            "SELECT \(RecordChange.columns) FROM record WHERE feed = ? AND id = ?",
            [.id(link.list), .id(link.list)])
        var (bytes, isWhole) = (Limits.pageBytes, true)
        let items = try transaction.query(
            "SELECT \(RecordChange.columns) FROM record WHERE feed = ? AND collection = ? ORDER BY id LIMIT ?",
            [.id(link.list), .text(RecordCollection.items.rawValue), .integer(Int64(limit) + 1)]
        ) { row in
            isWhole = bytes > 0
            bytes -= try RecordChange.bytes(row)
            return isWhole
        }
        let record = try list.first.map(RecordChange.init)
        var ticks = LinkedList.Ticks.none
        if link.canTick ?? false {
            let isWishList = record?.fields?["kind"]?.text == SharedList.wishKind
            ticks = isWishList ? .gifts(try GiftTable.givers(of: link.list, in: transaction)) : .items
        }
        return LinkedList(
            record, try items.prefix(limit).map(RecordChange.init), of: link.list, token: token,
            isWhole: isWhole && items.count <= limit, server: server, ticks: ticks)
    }

    /// The same for a page that is not only about the list; nil if there is no such link, or it cannot be used any more.
    package func linkedListIfAny(_ token: String, limit: Int) throws -> LinkedList? {
        try ifUsable { try linkedList(token, limit: limit) }
    }

    /// Whether there is a public link with this token that can be used.
    package func isPublicLink(_ token: String) throws -> Bool {
        try ifUsable { try publicLink(token) } != nil
    }

    private func ifUsable<Value>(_ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch let error as ServerError where error.code == .notFound || error.code == .linkExpired {
            return nil
        }
    }

    // MARK: Shared code

    private static let noSuchList = ServerError(.notFound, "There is no such list, or it is not yours.")
    private static let noSuchLink = ServerError(.notFound, "There is no such link. Check that it was copied whole.")

    private func ledger(of list: ListID, ownedBy account: AccountID) throws -> Ledger {
        var needs = LedgerNeeds()
        needs.changeRoles(of: account, in: list.retyped())
        let ledger = try Ledger.open(needs, for: account, at: now, in: transaction)
        guard ledger.role(of: account, in: list.retyped()) == .owner, ledger.feed(list.retyped())?.kind == .list
        else {
            throw Self.noSuchList
        }
        return ledger
    }

    /// A stored link for an answer: with the id of this server.
    private func shown(_ link: ListLink) -> ListLink {
        var link = link
        link.server = server
        return link
    }

    /// Checks once more that the link of `token` can be used, after the feed of its list was locked. The list's owner
    /// may have revoked it while this transaction waited. With one writer, nothing has changed.
    func checkAgain(_ token: String) throws {
        if transaction.dialect.hasSeveralWriters { _ = try link(of: token) }
    }

    private func link(of token: String) throws -> ListLink {
        guard let stored = try StoredLink.find(tokenHash: Secret.sha256(token), in: transaction) else {
            throw Self.noSuchLink
        }
        if stored.isRevoked || stored.link.expires.map({ $0 <= now }) ?? false {
            throw ServerError(.linkExpired, "The link has expired or was revoked. Ask the list's owner for a new one.")
        }
        return stored.link
    }
}
