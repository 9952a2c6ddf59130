import Foundation
public import KithModel

extension Changes {
    /// The edits of sharing in this transaction.
    public var sharing: SharingEdits { SharingEdits(changes: self) }
}

/// The edits of sharing in one `client.write { changes in … }`. The methods are those of ``Sharing``.
public struct SharingEdits {
    let changes: Changes

    private var transaction: ReplicaTransaction { changes.transaction }

    // MARK: Shareables

    /// The shareable with this id; nil if I have none.
    public func shareable(_ id: ShareableID) throws -> Shareable? { try changes.record(id) }

    /// My shareable of a programme, which is made at its first use: see ``Sharing/shareable(in:key:)``.
    @discardableResult
    public func shareable(in programme: String, key: String? = nil) throws -> Shareable {
        let key = key.flatMap { $0.isEmpty ? nil : $0 }
        let known = try Shareable.fetch(of: programme, key: key, in: transaction.store)
        if let known { return known }
        try checkRoom(for: Shareable.self, atMost: Limits.shareables, "links")
        var random = transaction.dependencies.random
        let fields: Fields = [
            "programme": .text(programme), "code": .text(ShareCode(random: random.next()).text), "key": .text(key),
        ]
        return try make(changes.makeID(), fields)
    }

    /// Changes the label, the content, the data or the list of a shareable: see
    /// ``Sharing/update(_:label:content:data:list:)``.
    public func update(
        _ id: ShareableID, label: String? = nil, content: String? = nil, data: String? = nil, list: String? = nil
    ) throws {
        _ = try changes.existing(id)
        let before = try transaction.record(Shareable.recordKey(id))?.fields ?? [:]
        var after = before
        var fields: Fields = [:]
        let token = try list.map(token(ofList:))
        for (name, text) in [("label", label), ("content", content), ("data", data), ("list", token)] {
            guard let text else { continue }
            let value: FieldValue = text.isEmpty ? .null : .text(text)
            fields[name] = value
            after[name] = value == .null ? nil : value
        }
        try check(Shareable.schema.fault(after, before))
        if !fields.isEmpty { try changes.set(Shareable.recordKey(id), fields) }
    }

    /// The token of the public link of a list; an empty text without a link. A token alone is checked by the server.
    ///
    /// The record of a shareable is no place for the secret of another link.
    private func token(ofList link: String) throws -> String {
        let text = link.trimmingCharacters(in: .whitespacesAndNewlines)
        let address = LinkAddress(text)
        let whole = text.contains("://") ? text : "https://\(text)"
        let isPublic = URL(string: whole).flatMap { KithLink($0) }?.kind == .publicList
        guard isPublic || text == address.secret else {
            throw KithError(
                .invalid,
                "This is not the public link of a list. Publish the list, and use that link.", field: "list")
        }
        return address.secret
    }

    /// Gives a shareable the code that its owner has chosen: see ``Sharing/setCode(_:of:)``.
    public func setCode(_ typed: String, of id: ShareableID) throws {
        let shareable = try changes.existing(id)
        let code = try chosen(typed, in: shareable.programme)
        let others = try Shareable.fetchAll(in: transaction.store).filter { $0.id != id }
        if let other = others.first(where: { $0.code == code }) {
            let name = (other.label ?? other.key).map { "“\($0)”" } ?? "something else in “\(other.programme)”"
            throw KithError(.codeTaken, "This is already your code for \(name). Choose another one.", field: "code")
        }
        try changes.set(Shareable.recordKey(id), ["code": .text(code.text)])
    }

    /// Makes a shareable the selected one of its programme: see ``Sharing/selected(in:)``.
    public func select(_ id: ShareableID) throws {
        let shareable = try changes.existing(id)
        let selected = try Shareable.selected(of: shareable.programme, in: transaction.store)
        if selected?.id == id { return }
        // Later than the present one, even if another device's clock is ahead.
        let time = max(transaction.now, selected?.selected.map { $0 + .milliseconds(1) } ?? transaction.now)
        try changes.set(Shareable.recordKey(id), ["selected": .integer(time.milliseconds)])
    }

    /// Removes a shareable. Its link goes on working: see ``Sharing/remove(_:)``.
    public func remove(_ id: ShareableID) throws { try changes.delete(Shareable.recordKey(id)) }

    /// Reads a code that somebody has chosen, by the rules of the programme as far as this device knows them. The server
    /// checks them again.
    private func chosen(_ typed: String, in programme: String) throws -> ShareCode {
        let known = try StoredProgrammes.fetch(in: transaction.store)
        do throws(ShareCode.Fault) {
            if let rules = known?[programme]?.codes { return try rules.code(typed) }
            return try ShareCode(typed)
        } catch {
            throw KithError(BrokenRule(error), at: transaction.now)
        }
    }

    // MARK: Shares

    /// Stores that I have shared something: see ``Sharing/share(_:by:to:data:id:)``.
    @discardableResult
    public func share(
        _ shareable: ShareableID, by channel: ShareChannel, to recipient: Identity? = nil, data: String? = nil,
        id: ShareID? = nil
    ) throws -> Share {
        guard channel != .email else {
            throw KithError(
                .invalid, "The server sends what is shared by email, so it needs the text too.",
                field: "channel")
        }
        return try makeShare(
            id, of: shareable, by: channel, ["recipient": .text(recipient?.text), "data": .text(data)])
    }

    /// Writes an email that the server sends: see ``Sharing/email(_:to:subject:message:language:data:id:)``.
    @discardableResult
    public func email(
        _ shareable: ShareableID, to recipient: Identity, subject: String? = nil, message: String? = nil,
        language: String? = nil, data: String? = nil, id: ShareID? = nil
    ) throws -> Share {
        try makeShare(
            id, of: shareable, by: .email,
            [
                "recipient": .text(recipient.text), "subject": .text(subject), "message": .text(message),
                "language": .text(language), "data": .text(data),
            ])
    }

    private func makeShare(
        _ id: ShareID?, of shareable: ShareableID, by channel: ShareChannel, _ fields: Fields
    ) throws -> Share {
        if let id, let known: Share = try changes.record(id) { return known }
        _ = try changes.existing(shareable)
        try checkRoom(for: Share.self, atMost: Limits.shares, "shares")
        var fields = fields
        fields["shareable"] = .text(shareable.description)
        fields["channel"] = .text(channel.rawValue)
        fields["shared"] = .integer(transaction.now.milliseconds)
        return try make(id ?? changes.makeID(), fields)
    }

    // MARK: Codes of others, and events

    /// Uses the code of somebody who has shared with me: see ``Sharing/use(code:)``. The server of a link is not checked
    /// here.
    @discardableResult
    public func use(code typed: String) throws -> Claim {
        let code: ShareCode
        do throws(ShareCode.Fault) {
            code = try ShareCode(link: typed)
        } catch {
            throw KithError(BrokenRule(error), at: transaction.now)
        }
        guard try !Shareable.fetchAll(in: transaction.store).contains(where: { $0.code == code }) else {
            throw KithError(.yourOwnCode, "\(code) is your own code. It is for the people you share it with.")
        }
        let claims = try Claim.fetchAll(in: transaction.store)
        if let known = claims.first(where: { $0.code == code && !$0.mayCountLater }) { return known }
        try checkRoom(for: Claim.self, atMost: Limits.claims, "codes")
        let fields: Fields = [
            "code": .text(code.text), "used": .integer(transaction.now.milliseconds),
            "channel": .text(ShareLink(typed)?.channel?.rawValue),
        ]
        return try make(changes.makeID(), fields)
    }

    /// Records an event of the app: see ``Sharing/record(event:in:data:id:)``.
    public func record(
        event name: String, in programme: String, data: String? = nil, id: SharingEventID? = nil
    ) throws {
        let key = RecordKey(SharingEvent.schema.collection, in: .own, (id ?? changes.makeID()).retyped())
        if try transaction.record(key) != nil { return }
        let fields: Fields = [
            "programme": .text(programme), "name": .text(name), "data": .text(data),
            "occurred": .integer(transaction.now.milliseconds),
        ]
        try check(SharingEvent.schema.fault(fields, nil))
        try changes.edit(key, .set(fields.filter { $0.value != .null }), creating: .anyID)
    }

    // MARK: Records

    private func make<Record: OwnRecord>(_ id: RecordID<Record>, _ fields: Fields) throws -> Record {
        try check(Record.schema.fault(fields, nil))
        let key = Record.recordKey(id)
        guard try transaction.record(key) == nil else {
            throw KithError(.removed, "The \(key.collection) \(id) was removed. Make another one.")
        }
        try changes.edit(key, .set(fields.filter { $0.value != .null }), creating: .anyID)
        return try changes.existing(id)
    }

    private func checkRoom<Record: OwnRecord>(for kind: Record.Type, atMost limit: Int, _ things: String) throws {
        if try Record.count(in: transaction.store) >= limit {
            throw KithError(.tooMany, "An account has at most \(limit) \(things) in its programmes.")
        }
    }

    private func check(_ fault: BrokenRule?) throws {
        if let fault { throw KithError(fault, at: transaction.now) }
    }
}

extension Claim {
    /// Whether the same code may count if it is used again.
    fileprivate var mayCountLater: Bool {
        guard case .refused(let refusal) = status else { return false }
        return refusal == .unknownCode || refusal == .paused
    }
}
