import Foundation
import Kith
import KithModel
import KithServer

/// What people do with invitations.
extension InvitationsWorld {
    /// The emails and numbers that people invite. Nobody reads the last one.
    private static let recipients = [
        "mailto:ada@example.com", "mailto:ben@example.com", "mailto:cleo@example.com", "mailto:ben@example.com",
        "mailto:cleo@example.com", "mailto:ben.later@example.com", "tel:+436641000000", "tel:+436641000001",
        "tel:+436641000002", "mailto:nobody@example.com",
    ].compactMap { Identity($0) }

    // MARK: Sent invitations

    func invite(_ person: SimulatedPerson, _ device: AccountsDevice) async throws {
        guard let recipient = Self.recipients.randomElement(using: &random) else { return }
        let purpose = try await purpose(on: device)
        let tag = note(recipient, to: purpose, by: person)
        let sent = try await call(device, "makes invitation \(tag.number) to \(recipient.shown), \(purpose)") {
            try await device.client.invitations.invite(
                recipient, to: purpose, text: tag.words, name: "my \(recipient.shown)")
        }
        if let sent { ordered(tag, sent) }
    }

    /// Invites several people at once, some of them twice. Each invitation then gets a text of its own.
    func inviteSeveral(_ person: SimulatedPerson, _ device: AccountsDevice) async throws {
        let count = Int.random(in: 2...4, using: &random)
        let recipients = (0..<count).compactMap { _ in Self.recipients.randomElement(using: &random) }
        let purpose = try await purpose(on: device)
        let tags = recipients.map { note($0, to: purpose, by: person) }
        let numbers = tags.map { "\($0.number)" }.joined(separator: ", ")
        let invitations = device.client.invitations
        try await call(device, "makes invitations \(numbers), \(purpose)", crashes: false) {
            let results = try await invitations.invite(recipients, to: purpose)
            if results.map(\.recipient) != recipients { throw fail("the results are for \(results.map(\.recipient))") }
            for (tag, one) in zip(tags, results) {
                switch one.result {
                case .success(let sent):
                    try await invitations.setText(tag.words, of: sent.id)
                    ordered(tag, sent)
                case .failure(let error) where error.code == .alreadyInvited: continue
                case .failure(let error): throw error
                }
            }
        }
    }

    /// Composes an invitation that the person sends without the server, and reports whether it was sent, now or later.
    func compose(_ person: SimulatedPerson, _ device: AccountsDevice) async throws {
        guard let recipient = Self.recipients.randomElement(using: &random) else { return }
        let purpose = try await purpose(on: device)
        let tag = note(recipient, to: purpose, by: person)
        auditor.change(tag.number) { $0.isComposed = true }
        let invitations = device.client.invitations
        let what = "composes invitation \(tag.number) to \(recipient.shown), \(purpose)"
        let made = try await call(device, what, crashes: false) {
            let made = try await invitations.compose(
                recipient, to: purpose, text: tag.words, name: "my \(recipient.shown)")
            try await invitations.setText(tag.words, of: made.invitation.id)
            return made
        }
        guard let made else { return }
        auditor.change(tag.number) { $0.ids.insert(made.invitation.id) }
        composed.append(InvitationMessage(number: tag.number, recipient: made.recipient, text: made.text))
        if random.oneIn(2) { try await report(tag.number, made.invitation.id, device) }
    }

    /// Reports whether a composed invitation was sent.
    private func report(_ number: Int, _ id: InvitationID, _ device: AccountsDevice) async throws {
        let invitations = device.client.invitations
        if random.oneIn(4), try await invitations.invitation(id)?.notified == nil {
            return try await end(number, .revoked, on: device) { try await invitations.report(id, wasSent: false) }
        }
        try await order(number, "reports that invitation \(number) was sent", on: device) {
            try await invitations.report(id, wasSent: true)
        }
    }

    private func purpose(on device: AccountsDevice) async throws -> Invitation.Purpose {
        let lists = try await device.client.lists.all().filter { $0.role == .owner }
        if let list = lists.randomElement(using: &random), random.oneIn(2) {
            return .list(list.id, random.oneIn(2) ? .editor : .viewer)
        }
        return random.oneIn(4) ? .join : .connect
    }

    /// Notes an invitation before it is made.
    private func note(
        _ recipient: Identity, to purpose: Invitation.Purpose, by person: SimulatedPerson
    ) -> InvitationTag {
        made += 1
        auditor.invited(made, recipient, to: purpose, by: person.account, at: internet.time)
        return InvitationTag(made)
    }

    private func ordered(_ tag: InvitationTag, _ sent: Invitation) {
        auditor.change(tag.number) { story in
            story.course = .ordered
            story.ids.insert(sent.id)
        }
    }

    /// Resends, revokes or removes an invitation, or changes its text.
    func changeSent(_ person: SimulatedPerson, _ device: AccountsDevice) async throws {
        let all = try await device.client.invitations.all(.sent)
        guard let one = all.randomElement(using: &random), let number = InvitationTag(in: one.text)?.number else {
            return
        }
        let invitations = device.client.invitations
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2 where one.delivery == .device: try await report(number, one.id, device)
        case 2..<4 where one.delivery == .device: try await composeAgain(number, one.id, device)
        case 0..<4:
            try await order(number, "resends invitation \(number)", on: device) { try await invitations.resend(one.id) }
        case 4..<6:
            auditor.change(number) { $0.texts.insert(self.step) }
            try await call(device, "changes the text of invitation \(number)") {
                try await invitations.setText(InvitationTag(number, self.step).words, of: one.id)
            }
        case 6..<9:
            // Where it is shown as revoked, revoking it writes nothing, and does not bind another device's order.
            if one.status == .cancelled { return }
            try await end(number, .revoked, on: device) { try await invitations.revoke(one.id) }
        default:
            try await end(number, .removed, on: device) { try await invitations.remove(one.id) }
        }
    }

    /// Makes a new link of a composed invitation, which reopens the invitation.
    private func composeAgain(_ number: Int, _ id: InvitationID, _ device: AccountsDevice) async throws {
        let text = InvitationTag(number).words
        let made = try await order(number, "composes invitation \(number) again", on: device) {
            try await device.client.invitations.composeAgain(id, text: text)
        }
        guard let made else { return }
        // Nothing says that it was sent.
        auditor.change(number) { $0.course = nil }
        composed.append(InvitationMessage(number: number, recipient: made.recipient, text: made.text))
    }

    /// Notes an order to send an invitation before the call, since an interrupted call may be carried out.
    @discardableResult
    private func order<Outcome>(
        _ number: Int, _ what: String, on device: AccountsDevice, _ body: () async throws -> Outcome
    ) async throws -> Outcome? {
        let now = internet.time
        let (before, dead) = (auditor.stories[number]?.course, auditor.stories[number]?.dead)
        auditor.change(number) {
            ($0.course, $0.dead) = (nil, nil); $0.orders.append(now)
        }
        let outcome = try await call(device, what) {
            do {
                return try await body()
            } catch let error as KithError {
                // Nothing is written.
                self.auditor.change(number) {
                    ($0.course, $0.dead) = (before, dead); $0.orders.removeLast()
                }
                throw error
            }
        }
        if outcome != nil { auditor.change(number) { $0.course = .ordered } }
        return outcome
    }

    private func end(
        _ number: Int, _ course: InvitationStory.Course, on device: AccountsDevice, _ body: () async throws -> Void
    ) async throws {
        let before = auditor.stories[number]?.course
        auditor.change(number) { story in
            story.course = nil
            if course == .revoked { story.isRevoked = true } else { story.isRemoved = true }
        }
        var isRefused = false
        let isDone: Void? = try await call(device, "\(course == .revoked ? "revokes" : "removes") invitation \(number)")
        {
            do {
                try await body()
            } catch let error as KithError {
                isRefused = true
                throw error
            }
        }
        if isRefused { auditor.change(number) { $0.course = before } }
        if isDone != nil { auditor.change(number) { $0.course = course } }
    }

    // MARK: Received invitations

    func answer(_ person: SimulatedPerson, _ device: AccountsDevice) async throws {
        let all = try await device.client.invitations.all(.received)
        guard let one = all.randomElement(using: &random), let number = InvitationTag(in: one.text)?.number else {
            return
        }
        let invitations = device.client.invitations
        let kind: InvitationStory.Reply.Kind
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<4: kind = .accept
        case 4..<7: kind = .decline
        default: kind = .removal
        }
        let words = [.accept: "accepts", .decline: "declines", .removal: "removes"][kind] ?? ""
        let what = "\(words) invitation \(number)"
        let body = {
            switch kind {
            case .accept, .acceptByLink: try await invitations.accept(one.id)
            case .decline: try await invitations.decline(one.id)
            case .removal: try await invitations.remove(one.id)
            }
        }
        // An answer that the device already shows is no edit. One of another device may be newer than the first.
        if kind == .accept && one.status == .accepted || kind == .decline && one.status == .declined {
            try await call(device, what, body)
        } else {
            try await reply(kind, to: number, person, device, what, body)
        }
    }

    /// Opens the link in a message, which may be one that another person has forwarded.
    func openLetter(_ person: SimulatedPerson, _ device: AccountsDevice) async throws {
        let isForwarded = random.oneIn(6)
        let delivered = part.mail.letters.compactMap { letter in
            letter.kind == .invitation && letter.arrives <= internet.time
                ? InvitationTag(in: letter.text).map {
                    InvitationMessage(number: $0.number, recipient: letter.recipient, text: letter.text)
                } : nil
        }
        let messages = (delivered + composed).filter { isForwarded || person.reads($0.recipient) }
        guard let message = messages.randomElement(using: &random), let link = message.link else { return }
        let number = message.number
        if random.oneIn(4) {
            try await call(device, "looks at the link of invitation \(number)", crashes: false) {
                _ = try await device.client.invitations.preview(link: link)
            }
        }
        try await reply(.acceptByLink, to: number, person, device, "accepts the link of invitation \(number)") {
            try await device.client.invitations.accept(link: link)
        }
    }

    /// Notes an answer before the call, since an interrupted call may be carried out, and once more after it.
    private func reply(
        _ kind: InvitationStory.Reply.Kind, to number: Int, _ person: SimulatedPerson, _ device: AccountsDevice,
        _ what: String, _ body: () async throws -> Void
    ) async throws {
        let (account, now) = (person.account, internet.time)
        let before = auditor.stories[number]?.replies[account]
        let isDead = auditor.stories[number]?.dead != nil
        auditor.replied(kind, to: number, by: account, at: now, isDone: false)
        let isDone: Void? = try await call(device, what) {
            do {
                try await body()
            } catch let error as KithError {
                // An answer to a record was not written. A link may have been accepted by the server.
                if kind != .acceptByLink { self.auditor.change(number) { $0.replies[account] = before } }
                throw error
            }
        }
        guard isDone != nil else { return }
        if kind == .acceptByLink && isDead { throw fail("invitation \(number) was revoked, and its link is accepted") }
        auditor.replied(kind, to: number, by: account, at: now, isDone: true)
    }

    // MARK: People

    /// The operator registers the number of a person.
    func registerNumber(of person: SimulatedPerson) throws {
        guard let identity = Identity("tel:\(person.number)") else { return }
        let (server, time, account) = (internet.servers[0], internet.time, person.account)
        auditor.proves(identity, account, at: time)
        let register = IdentityRegister(keys: server.discoveryKeys, at: time)
        _ = try server.database.writeNow { try register.add(identity, to: account, moving: true, in: $0) }
        note("\(person.name): the operator registers \(person.number)")
    }

    func makeList(_ person: SimulatedPerson, _ device: AccountsDevice) async throws {
        guard try await device.client.lists.all().count < 3 else { return }
        try await call(device, "makes a list", crashes: false) {
            let list = try await device.client.lists.create("list \(self.step)")
            self.auditor.made(list.id, by: person.account)
        }
    }

    /// Blocks, unblocks or removes a person, leaves a list, removes it, or removes somebody from it.
    func partWays(_ person: SimulatedPerson, _ device: AccountsDevice) async throws {
        let others = people.map(\.account).filter { $0 != person.account }
        guard let other = others.randomElement(using: &random) else { return }
        let (network, lists) = (device.client.network, device.client.lists)
        let list = try await lists.all().randomElement(using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<2:
            auditor.parts(person.account, from: other)
            try await call(device, "blocks \(other)") { try await network.block(other) }
        case 2: try await call(device, "unblocks \(other)") { try await network.unblock(other) }
        case 3:
            auditor.parts(person.account, from: other)
            try await call(device, "removes \(other)") { try await network.remove(other) }
        case 4:
            guard let list else { return }
            auditor.parts(list.id)
            try await call(device, "leaves or removes \(list.name)") {
                if list.role == .owner { _ = try await lists.remove(list.id) } else { try await lists.leave(list.id) }
            }
        default:
            guard let list, list.role == .owner else { return }
            auditor.parts(list.id)
            try await call(device, "removes \(other) from \(list.name)") {
                try await lists.removeMember(other, from: list.id)
            }
        }
    }

    /// Deletes the account of a person, who opens a new one.
    func delete(_ person: SimulatedPerson) async throws {
        let account = person.account
        try internet.delete(account, on: 0)
        auditor.deleted(account)
        note("\(person.name): the account is deleted")
        try await withoutHazards {
            for device in person.devices {
                _ = try? await device.client.syncNow()
                requested[device.index] = nil
            }
            person.account = try await openAccount(on: person.devices, called: person.name)
        }
    }
}
