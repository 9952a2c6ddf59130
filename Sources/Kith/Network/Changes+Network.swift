public import Foundation
import GRDB
public import KithModel

extension Changes {
    // MARK: Reading

    /// The contact with this account; nil if there is none.
    public func contact(_ id: AccountID) throws -> NetworkContact? {
        try anyContact(id).flatMap { $0.isSomebody ? $0 : nil }
    }

    private func anyContact(_ id: AccountID) throws -> NetworkContact? {
        let key = RecordKey.contact(id)
        return try transaction.record(key).map { NetworkContact(key, $0) }
    }

    // MARK: Requests

    /// Sends or resends a contact request, or accepts theirs: see ``Network/connect(_:)``.
    public func connect(_ id: AccountID) throws {
        try refuseMyself(id)
        let contact = try anyContact(id)
        let isAsked = contact?.relation == .received || contact?.relation == .declined
        try wish(isAsked ? .accept : .connect, of: id, contact)
    }

    /// Accepts a request, even one that I have declined.
    public func accept(_ id: AccountID) throws {
        try wish(.accept, of: id, request(of: id, .received, .declined, otherwise: .noRequestOfTheirs))
    }

    /// Declines a request. The other person does not see this.
    public func decline(_ id: AccountID) throws {
        let contact = try request(of: id, .received, .declined, otherwise: .noRequestOfTheirs)
        if contact.relation == .received { try wish(.decline, of: id, contact) }
    }

    /// Withdraws a request that I have sent.
    public func cancel(_ id: AccountID) throws {
        let missing = KithError.noRequest("There is no request of yours to cancel.")
        try wish(.none, of: id, request(of: id, .sent, otherwise: missing))
    }

    /// Resends a request that I have sent.
    public func resend(_ id: AccountID) throws {
        let missing = KithError.noRequest("There is no request of yours to send again.")
        try wish(.connect, of: id, request(of: id, .sent, otherwise: missing))
    }

    /// The contact, if there is a request in one of these states.
    ///
    /// - Throws: ``KithError`` with `alreadyConnected` if the request was accepted; `error` if there is none.
    private func request(
        of id: AccountID, _ relations: NetworkContact.Relation..., otherwise error: KithError
    ) throws -> NetworkContact {
        let contact = try anyContact(id)
        if contact?.relation == .connected { throw KithError.alreadyConnected(contact) }
        guard let contact, relations.contains(contact.relation) else { throw error }
        return contact
    }

    /// Ends a connection on both sides.
    public func remove(_ id: AccountID) throws {
        let contact = try anyContact(id)
        guard contact?.relation == .connected else {
            let advice = contact?.relation == .sent ? " To take your request back, cancel it." : ""
            throw KithError(.notFound, "You are not connected with \(contact?.calledName ?? "this account").\(advice)")
        }
        try wish(.none, of: id, contact)
    }

    /// Writes the wish even if the record already has it, because the edit has to reach the server, which then notifies
    /// the other person again.
    private func wish(_ wish: NetworkContact.Wish, of id: AccountID, _ contact: NetworkContact?) throws {
        // If the device's clock is behind the server's, the device cannot tell whether it is too soon; the server
        // decides.
        let notified = contact?.notified.flatMap { $0 <= transaction.now ? $0 : nil }
        let fault = NetworkContact.fault(
            of: wish, relation: contact?.relation ?? .none, isAsked: (contact?.asked ?? contact?.accepted) != nil,
            isBlocked: contact?.isBlocked ?? false, notified: notified, called: contact?.calledName,
            at: transaction.now)
        if let fault { throw KithError(fault, at: transaction.now) }
        try write(["wish": .text(wish.rawValue)], of: id)
    }

    /// Sends a request to someone who was found in the address book, or accepts their request. Skips my own account,
    /// connected people, people that I have already asked, declined or blocked, and people that I asked too recently.
    package func connectOnceFound(_ id: AccountID) throws {
        if id == transaction.account.id { return }
        let contact = try contact(id)
        if contact?.isBlocked ?? false || ![.none, .received].contains(contact?.relation ?? .none) { return }
        do { try connect(id) } catch KithError.Code.tooSoon {}
    }

    // MARK: Blocking and muting

    /// Blocks an account. It need not be a contact.
    public func block(_ id: AccountID) throws {
        try refuseMyself(id)
        if try anyContact(id)?.isBlocked ?? false { return }
        try write(["isBlocked": true], of: id)
    }

    /// Unblocks an account.
    public func unblock(_ id: AccountID) throws {
        guard let contact = try anyContact(id) else { throw KithError.missing(.contact(id)) }
        if contact.isBlocked { try write(["isBlocked": false], of: id) }
    }

    /// Mutes an account from now on, until a time or until I unmute it.
    public func mute(_ id: AccountID, until end: Date? = nil) throws {
        try refuseMyself(id)
        let end = end.map { Timestamp($0) }
        if let end, end <= transaction.now {
            throw KithError(.invalid, "That moment has passed. Name one in the future.", field: "mutedUntil")
        }
        let until = end.map { FieldValue.integer($0.milliseconds) } ?? .null
        try write(["mutedFrom": .integer(transaction.now.milliseconds), "mutedUntil": until], of: id)
    }

    /// Unmutes an account.
    public func unmute(_ id: AccountID) throws {
        guard let contact = try anyContact(id) else { throw KithError.missing(.contact(id)) }
        if contact.mutedFrom != nil { try write(["mutedFrom": .null, "mutedUntil": .null], of: id) }
    }

    // MARK: One contact

    private func write(_ fields: Fields, of id: AccountID) throws {
        let isNew = try transaction.record(.contact(id)) == nil
        if isNew { try refuseFull() }
        let written = isNew ? fields.filter { $0.value != .null } : fields
        try edit(.contact(id), .set(written), creating: isNew ? .anyID : .no)
    }

    private func refuseMyself(_ id: AccountID) throws {
        guard let account = transaction.account.id, let fault = NetworkContact.fault(of: id, for: account) else {
            return
        }
        throw KithError(fault, at: transaction.now)
    }

    private func refuseFull() throws {
        let count = try Int.fetchOne(
            transaction.db.cachedStatement(
                sql: """
                    SELECT (SELECT count(*) FROM contact WHERE account = ?1
                            AND NOT (asked IS NOT NULL AND coalesce(wish, 'none') = 'none' AND NOT coalesce(isBlocked, 0)))
                        + (SELECT count(*) FROM membership WHERE account = ?1) + (SELECT count(*) FROM profile WHERE account = ?1)
                    """), arguments: [transaction.account.key])
        if let fault = NetworkContact.fault(ofOneMoreThan: count ?? 0) { throw KithError(fault, at: transaction.now) }
    }
}

extension NetworkContact {
    /// The name to use in messages.
    var calledName: String { fullName ?? "this account" }
}

extension KithError {
    fileprivate static func alreadyConnected(_ contact: NetworkContact?) -> KithError {
        KithError(.alreadyConnected, "You are connected with \(contact?.calledName ?? "this account") already.")
    }

    fileprivate static let noRequestOfTheirs = noRequest("There is no request of theirs. Perhaps it was cancelled.")

    fileprivate static func noRequest(_ sentence: String) -> KithError { KithError(.noRequest, sentence) }
}
