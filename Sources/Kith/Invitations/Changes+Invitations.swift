import Foundation
public import KithModel

extension Changes {
    // MARK: Sending

    /// The invitation with this id, sent or received; nil if there is none.
    public func invitation(_ id: InvitationID) throws -> Invitation? { try record(id) }

    /// Creates an invitation that the server sends: see ``Invitations/invite(_:to:text:name:language:)``.
    @discardableResult
    public func invite(
        _ recipient: Identity, to purpose: Invitation.Purpose = .connect, text: String? = nil, name: String? = nil,
        language: String? = nil
    ) throws -> Invitation {
        try makeInvitation(
            recipient, to: purpose,
            [
                "text": .text(text), "name": .text(name), "language": .text(language),
                "requested": .integer(transaction.now.milliseconds),
            ])
    }

    /// Creates an invitation that the app sends. `secretHash` is the hash of the secret in its link.
    func invite(
        _ recipient: Identity, to purpose: Invitation.Purpose, name: String?, language: String?, secretHash: String
    ) throws -> Invitation {
        try makeInvitation(
            recipient, to: purpose,
            [
                "name": .text(name), "language": .text(language), "secret": .text(secretHash),
                "delivery": .text(Invitation.Delivery.device.rawValue),
            ])
    }

    private func makeInvitation(
        _ recipient: Identity, to purpose: Invitation.Purpose, _ fields: Fields
    ) throws -> Invitation {
        if let list = purpose.list { try checkOwner(of: list) }
        let isKnown = try Invitation.fetchAll(in: transaction.store).contains {
            $0.direction == .sent && $0.recipient == recipient && $0.purpose == purpose
                && $0.isOpen(at: transaction.serverTime ?? transaction.now)
        }
        guard !isKnown else {
            throw KithError(
                .alreadyInvited, "You have already invited \(recipient.shown). Send that invitation again instead.")
        }
        let id: InvitationID = makeID()
        var fields = fields.filter { $0.value != .null }
        fields["recipient"] = .text(recipient.text)
        fields.merge(purpose.fields) { $1 }
        try edit(Invitation.recordKey(id), .set(fields), creating: .anyID)
        return try existing(id)
    }

    private func checkOwner(of list: ListID) throws {
        guard let known = try SharedList.fetch(list, in: transaction.store) else {
            throw KithError.missing(.list(list))
        }
        guard known.role == .owner else {
            throw KithError(
                .forbidden, "Only the owner of “\(known.name)” can invite people to it. Ask them for an invitation.")
        }
    }

    // MARK: Sent invitations

    /// Sends an invitation again: see ``Invitations/resend(_:)``.
    public func resend(_ id: InvitationID) throws {
        let invitation = try sent(id)
        guard invitation.delivery == .server else {
            throw KithError(.invalid, "The app sends this invitation itself. Compose it again.")
        }
        try checkResending(invitation)
        try request(id)
    }

    /// Adds a link to an invitation that the app sends. `secretHash` is the hash of the link's secret.
    func renew(_ id: InvitationID, secretHash: String) throws -> Invitation {
        let invitation = try sent(id)
        guard invitation.delivery == .device else {
            throw KithError(.invalid, "The server sends this invitation. Send it again instead.")
        }
        try checkResending(invitation)
        try set(Invitation.recordKey(id), ["secret": .text(secretHash), "isRevoked": false])
        return try existing(id)
    }

    private func checkResending(_ invitation: Invitation) throws {
        // If the device's clock is behind the server's, the device cannot decide whether it is too soon. The server
        // decides.
        let notified = invitation.notified.flatMap { $0 <= transaction.now ? $0 : nil }
        let fault = Invitation.fault(ofResending: invitation.status, notified: notified, at: transaction.now)
        if let fault { throw KithError(fault, at: transaction.now) }
    }

    private func request(_ id: InvitationID) throws {
        try edit(
            Invitation.recordKey(id),
            .set(["requested": .integer(transaction.now.milliseconds), "isRevoked": false]))
    }

    /// Stores whether the user has sent a composed invitation: see ``Invitations/report(_:wasSent:)``.
    public func report(_ id: InvitationID, wasSent: Bool) throws {
        let invitation = try sent(id)
        guard invitation.delivery == .device else {
            throw KithError(.invalid, "The server sends this invitation. There is nothing to report.")
        }
        if wasSent {
            // Its link works before the report, so it may be accepted.
            if invitation.status != .accepted { try request(id) }
        } else if invitation.notified == nil {
            try revoke(id)
        }
    }

    /// Changes the text of an invitation, for the next time that it is sent.
    public func setText(_ text: String?, of id: InvitationID) throws {
        _ = try sent(id)
        try set(Invitation.recordKey(id), ["text": .text(text)])
    }

    /// Revokes a sent invitation: see ``Invitations/revoke(_:)``.
    public func revoke(_ id: InvitationID) throws {
        let invitation = try sent(id)
        guard invitation.status != .accepted else {
            throw KithError(.alreadyAccepted, "The invitation has already been accepted. Remove the person instead.")
        }
        try set(Invitation.recordKey(id), ["isRevoked": true])
    }

    // MARK: Received invitations

    /// Accepts a received invitation, even if I have declined it: see ``Invitations/accept(_:)``.
    public func accept(_ id: InvitationID) throws {
        let invitation = try received(id)
        if invitation.status == .accepted { return }
        // The device's clock may be wrong. If the server's time is unknown, the server decides.
        if let expires = invitation.expires, let time = transaction.serverTime, expires <= time {
            throw KithError(.tooLate, "The invitation has expired. Ask \(invitation.calledPeer) to send it again.")
        }
        try answer(.accept, to: id)
    }

    /// Declines a received invitation: see ``Invitations/decline(_:)``.
    public func decline(_ id: InvitationID) throws {
        let invitation = try received(id)
        guard invitation.status != .accepted else {
            throw KithError(
                .alreadyAccepted, "You have accepted this invitation. Leave the list or remove the person instead.")
        }
        if invitation.status != .declined { try answer(.decline, to: id) }
    }

    private func answer(_ answer: Invitation.Answer, to id: InvitationID) throws {
        try set(Invitation.recordKey(id), ["answer": .text(answer.rawValue)])
    }

    // MARK: Both

    /// Removes an invitation from my devices: see ``Invitations/remove(_:)``.
    public func remove(_ id: InvitationID) throws { try delete(Invitation.recordKey(id)) }

    private func sent(_ id: InvitationID) throws -> Invitation {
        let invitation = try existing(id)
        guard invitation.direction == .sent else {
            throw KithError(.invalid, "You have received this invitation. Accept or decline it.")
        }
        return invitation
    }

    private func received(_ id: InvitationID) throws -> Invitation {
        let invitation = try existing(id)
        guard invitation.direction == .received else {
            throw KithError(.invalid, Invitation.isSentSentence)
        }
        return invitation
    }
}

extension Invitation {
    /// The inviter's name for messages.
    fileprivate var calledPeer: String { peerName ?? "the inviter" }
}
