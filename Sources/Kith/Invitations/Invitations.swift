import Foundation
public import KithModel

/// The invitations that I have sent and received: `client.invitations`.
///
/// ```swift
/// let ben = Identity.email(EmailAddress("ben@example.com")!)
/// try await client.invitations.invite(ben, to: .list(groceries.id, .editor), text: "Shop with me?")
/// for await change in client.invitations.changes() { show(change) }
/// ```
///
/// An invitation is a record: it can be made offline, the next round sends it, and it is the same on all of my devices.
/// The server then sends the message, and updates the status in the record. If an account has proved the recipient's
/// number or email, or proves it later, it receives the invitation too. I cannot see whether there is such an account, or
/// that somebody has declined.
public struct Invitations: Sendable {
    let client: KithClient

    // MARK: Reading

    /// The invitations that I have sent or received, latest first.
    public func all(_ direction: Invitation.Direction? = nil) async throws -> [Invitation] {
        try await client.replica.read { try Invitation.fetchAll(in: $0.store) }
            .filter { direction == nil || $0.direction == direction }
    }

    /// The received invitations that wait for my answer, latest first.
    public func pending() async throws -> [Invitation] {
        let received = try await all(.received)
        let now = client.replica.dependencies.now()
        let time = client.replica.serverTime.time(at: now) ?? now
        return received.filter { $0.isOpen(at: time) }
    }

    /// The invitation with this id; nil if there is none.
    public func invitation(_ id: InvitationID) async throws -> Invitation? {
        try await client.replica.read { try Invitation.fetch(id, in: $0.store) }
    }

    /// My invitations, latest first, now and after each change. The stream ends if the replica cannot be read; any
    /// getter then throws the reason.
    public func live() -> AsyncStream<[Invitation]> {
        client.replica.live { try Invitation.fetchAll(in: $0.store) }
    }

    /// Changes of my invitations. The stream first sends the current ones (origin `state`), then each change once.
    ///
    /// The stream ends if its listener is ``KithClient/unreadChanges`` changes behind. To go on, call `changes()` again.
    public func changes() -> AsyncStream<Changed<Invitation>> {
        client.signals { try Invitation.fetchAll(in: $0) }
    }

    /// Each sent invitation that is accepted from now on, once: “Ben has joined”.
    ///
    /// An acceptance is news if this device has seen the invitation before without it, or receives the invitation after its
    /// first round was complete. So the first round of a new device reports no old acceptances. After a switch to another
    /// account, the same applies to that account.
    ///
    /// The stream yields nothing while `Profile.isNotifiedOfJoins` is false. The setting applies to all devices and to the
    /// messages of the server.
    ///
    /// The stream ends if its listener is ``KithClient/unreadChanges`` invitations behind, or if the replica cannot be read. To
    /// go on, call `joins()` again.
    public func joins() -> AsyncStream<Invitation> { joins(in: changes()) }

    /// ``joins()`` in these changes. The stream ends after the last of them.
    package func joins(in changes: AsyncStream<Changed<Invitation>>) -> AsyncStream<Invitation> {
        let client = client
        return AsyncStream(keeping: .bufferingOldest(client.unreadChanges)) { stream in
            var joins = JoinRules()
            for await change in changes {
                guard let account = try? await client.replica.read({ $0.account }) else { break }
                let joined = joins.joined(in: change, of: account)
                if joined.isEmpty { continue }
                guard (try? await client.network.profile().isNotifiedOfJoins) ?? true else { continue }
                for one in joined {
                    if case .dropped = stream.yield(one) { return }
                }
            }
        }
    }

    // MARK: Inviting

    /// The text that the app shows before an invitation is sent, for the user to edit.
    ///
    /// - Parameters:
    ///   - purpose: What the recipient is invited to.
    ///   - languages: Tags of languages, best first: the recipient's if known, then the user's. nil for the device's.
    /// - Returns: One or two sentences.
    /// - Throws: ``KithError`` if the replica cannot be read.
    public func proposedText(
        for purpose: Invitation.Purpose = .connect, in languages: [String]? = nil
    ) async throws -> String {
        InvitationText.proposal(
            listName: try await listName(purpose), in: languages ?? Locale.preferredLanguages)
    }

    /// Invites an email address or a number. The server sends the message.
    ///
    /// - Parameters:
    ///   - recipient: The email address, or the number of a mobile phone.
    ///   - purpose: What the recipient is invited to.
    ///   - text: The text as the user has edited it, at most `Limits.invitationText` characters; nil for none. An email
    ///     adds the inviter's name and the link, an SMS the link. The end of a text that is too long for an SMS is left out.
    ///   - name: My name for the recipient, which only I see.
    ///   - language: The language of the message; nil for that of my profile.
    /// - Returns: The invitation.
    /// - Throws: ``KithError`` with `alreadyInvited`; `forbidden` or `notFound` for a list that I do not own; `invalid`.
    @discardableResult
    public func invite(
        _ recipient: Identity, to purpose: Invitation.Purpose = .connect, text: String? = nil, name: String? = nil,
        language: String? = nil
    ) async throws -> Invitation {
        try await client.edit { try $0.invite(recipient, to: purpose, text: text, name: name, language: language) }
    }

    /// Invites several recipients. If one cannot be invited, the others still are.
    ///
    /// - Returns: A result for each recipient, in their order.
    /// - Throws: ``KithError`` with `tooMany` for more than `Limits.invitations` recipients. Nothing is sent then.
    public func invite(
        _ recipients: [Identity], to purpose: Invitation.Purpose = .connect, text: String? = nil,
        language: String? = nil
    ) async throws -> [RecipientResult<Invitation>] {
        guard recipients.count <= Limits.invitations else {
            throw KithError(
                .tooMany, "At most \(Limits.invitations) people can be invited at once. Invite them in several calls.")
        }
        return try await client.edit { changes in
            try recipients.map { recipient -> RecipientResult<Invitation> in
                do {
                    let invitation = try changes.invite(recipient, to: purpose, text: text, language: language)
                    return RecipientResult(recipient: recipient, result: .success(invitation))
                } catch let error as KithError {
                    return RecipientResult(recipient: recipient, result: .failure(error))
                }
            }
        }
    }

    /// Creates an invitation that the app sends itself, with its own mail or message sheet.
    ///
    /// - Returns: The content of the sheet. Call ``report(_:wasSent:)`` when it closes.
    /// - Throws: ``KithError`` as ``invite(_:to:text:name:language:)``, and `noServer` if the client has no server.
    public func compose(
        _ recipient: Identity, to purpose: Invitation.Purpose = .connect, text: String? = nil, name: String? = nil,
        language: String? = nil
    ) async throws -> ComposedInvitation {
        let secret = try await newSecret()
        let invitation = try await client.edit {
            try $0.invite(recipient, to: purpose, name: name, language: language, secretHash: secret.hash)
        }
        return try await composed(invitation, text: text, secret.link)
    }

    /// Creates a new link for an invitation that the app sends itself, to send it again.
    ///
    /// - Returns: The content of the sheet. Call ``report(_:wasSent:)`` when it closes.
    /// - Throws: ``KithError`` with `tooSoon`, `alreadyAccepted` or `invalid`.
    public func composeAgain(_ id: InvitationID, text: String? = nil) async throws -> ComposedInvitation {
        let secret = try await newSecret()
        return try await composed(
            try await client.edit { try $0.renew(id, secretHash: secret.hash) }, text: text, secret.link)
    }

    /// Reports whether the user has sent a composed invitation. An invitation that was never sent is revoked. If the
    /// recipient has accepted it already, reporting that it was sent has no effect.
    ///
    /// - Throws: ``KithError``: `notFound`; `invalid` if the server sends the invitation; `alreadyAccepted` if an invitation
    ///   that was not sent is accepted.
    public func report(_ id: InvitationID, wasSent: Bool) async throws {
        try await client.edit { try $0.report(id, wasSent: wasSent) }
    }

    private func composed(_ invitation: Invitation, text: String?, _ link: String) async throws -> ComposedInvitation {
        let (list, profile) = (try await listName(invitation.purpose), try await client.network.profile())
        let languages = [invitation.language, profile.language].compactMap(\.self) + Locale.preferredLanguages
        let proposal = text ?? InvitationText.proposal(listName: list, in: languages)
        var subject = ""
        if case .email = invitation.recipient {
            subject = InvitationText.subject(inviter: profile.fullName, listName: list, in: languages)
        }
        return ComposedInvitation(
            invitation: invitation, subject: subject, text: "\(proposal)\n\n\(link)", link: link)
    }

    private func listName(_ purpose: Invitation.Purpose) async throws -> String? {
        guard let list = purpose.list else { return nil }
        return try await client.lists.list(list)?.name
    }

    /// A new link, and the hash of its secret. The record contains only the hash, so the server's database does not reveal
    /// the link.
    private func newSecret() async throws -> (hash: String, link: String) {
        var random = client.replica.dependencies.random
        let bytes = (0..<4).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        // Without the letter, the secret could begin with a dash and look like a command's option.
        let secret = "i" + Data(bytes).base64URL
        guard let address = client.engine.server.address(of: try await client.replica.read { $0.account }) else {
            throw KithError(.noServer, "The server's address is unknown, so a link cannot be created.")
        }
        return (SHA256(Array(secret.utf8)[...]).hex, "\(address)/v1/invitations/\(secret)")
    }
}

extension Invitations {
    // MARK: Sent invitations

    /// Sends an invitation again, at the earliest `Limits.resend` after `Invitation.notified`. A revoked or failed
    /// invitation becomes pending again.
    ///
    /// - Throws: ``KithError`` with `tooSoon` and the remaining time, or `alreadyAccepted`.
    public func resend(_ id: InvitationID) async throws { try await client.edit { try $0.resend(id) } }

    /// Changes the text of an invitation, for the next time that it is sent.
    public func setText(_ text: String?, of id: InvitationID) async throws {
        try await client.edit { try $0.setText(text, of: id) }
    }

    /// Revokes a sent invitation. Its links end, and its recipient no longer sees it.
    ///
    /// - Throws: ``KithError`` with `alreadyAccepted`.
    public func revoke(_ id: InvitationID) async throws { try await client.edit { try $0.revoke(id) } }

    // MARK: Received invitations

    /// Accepts a received invitation, even if I have declined it. The server then connects the two of us, and lets me join
    /// the list.
    ///
    /// If the server cannot carry it out, the invitation becomes pending again, with the reason in `Invitation.failure`.
    ///
    /// - Throws: ``KithError`` with `tooLate` if it has expired and the device knows the server's time, from an answer since
    ///   the app's start.
    public func accept(_ id: InvitationID) async throws { try await client.edit { try $0.accept(id) } }

    /// Declines a received invitation. The inviter does not see that. For a week, it does not
    /// reach me again, even if it is sent again.
    ///
    /// - Throws: ``KithError`` with `alreadyAccepted`.
    public func decline(_ id: InvitationID) async throws { try await client.edit { try $0.decline(id) } }

    /// Removes an invitation from my devices. An open sent invitation is also revoked. The inviter does not see that a
    /// received invitation is removed.
    public func remove(_ id: InvitationID) async throws { try await client.edit { try $0.remove(id) } }

    // MARK: Links, which need the server

    /// Fetches what the link of an invitation offers.
    ///
    /// - Parameter link: The complete link, or the secret at its end.
    /// - Returns: The offer.
    /// - Throws: ``KithError``: `notFound`, also for a link that has expired, was revoked, or was used by another person;
    ///   `otherServer` if it belongs to a different server from the client's; `offline`.
    public func preview(link: String) async throws -> InvitationPreview {
        try await client.send(about: link) { try await $0.previewInvitation($1) }
    }

    /// Accepts the invitation of a link, whoever its recipient is. Returns when the list can be read on this device.
    ///
    /// - Parameter link: The complete link, or the secret at its end.
    /// - Returns: The list that I have joined; nil if the invitation was not to a list.
    /// - Throws: ``KithError`` as ``preview(link:)``; `forbidden` or `tooMany`.
    @discardableResult
    public func accept(link: String) async throws -> SharedList? {
        let acceptance = try await client.accept(link) { try await $0.acceptInvitation($1) }
        guard let list = acceptance.list else { return nil }
        return try await client.lists.list(list)
    }
}

extension KithClient {
    /// The invitations that I have sent and received.
    public var invitations: Invitations { Invitations(client: self) }
}
