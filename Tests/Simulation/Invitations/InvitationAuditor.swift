import Kith
import KithModel
import KithServer

/// Judges invitations by what people did, what their devices show, and which emails and SMS were delivered.
///
/// It knows nothing of the server's tables.
final class InvitationAuditor {
    /// What people did with each invitation, by its number.
    private(set) var stories: [Int: InvitationStory] = [:]
    /// When each account has proved an email or a number.
    private var proofs: [AccountID: [Identity: [Timestamp]]] = [:]
    /// Who has made each list.
    private var makers: [ListID: AccountID] = [:]
    /// The pairs of people where one has blocked or removed the other.
    private(set) var parted: [Set<AccountID>] = []
    /// The lists that somebody has left or removed, or from which somebody was removed.
    private(set) var partedLists: Set<ListID> = []
    /// The deleted accounts.
    private(set) var deleted: Set<AccountID> = []

    // MARK: Reports from the world

    func invited(
        _ number: Int, _ recipient: Identity, to purpose: Invitation.Purpose, by inviter: AccountID, at time: Timestamp
    ) {
        stories[number] = InvitationStory(inviter: inviter, recipient: recipient, purpose: purpose, orders: [time])
    }

    /// An inviter tries to do something with an invitation.
    func change(_ number: Int, _ body: (inout InvitationStory) -> Void) {
        if var story = stories[number] {
            body(&story)
            stories[number] = story
        }
    }

    /// A recipient answers, or has tried to.
    func replied(
        _ kind: InvitationStory.Reply.Kind, to number: Int, by account: AccountID, at time: Timestamp, isDone: Bool
    ) {
        stories[number]?.replies[account, default: []].append(.init(kind: kind, time: time, isDone: isDone))
    }

    func proves(_ identity: Identity, _ account: AccountID, at time: Timestamp) {
        proofs[account, default: [:]][identity, default: []].append(time)
    }

    func made(_ list: ListID, by account: AccountID) { makers[list] = account }
    func parts(_ one: AccountID, from other: AccountID) { parted.append([one, other]) }
    func parts(_ list: ListID) { partedLists.insert(list) }
    func deleted(_ account: AccountID) { deleted.insert(account) }

    /// The number of messages that were handed to the relay until an invitation was revoked for good.
    func died(_ number: Int, after attempts: Int) { stories[number]?.dead = attempts }

    /// When an account has proved the recipient of an invitation.
    func proofs(of identity: Identity, by account: AccountID) -> [Timestamp] { proofs[account]?[identity] ?? [] }

    /// Whether one of two people has ever blocked or removed the other.
    func areParted(_ one: AccountID, _ other: AccountID) -> Bool { parted.contains([one, other]) }

    // MARK: At every step

    /// What is wrong with what a device shows; nil if nothing is.
    func fault(in look: InvitationLook) -> String? {
        guard let account = look.account else { return nil }
        for invitation in look.invitations {
            if let fault = fault(in: invitation, shownTo: account) { return fault }
        }
        for member in look.members where !mayBe(member.id, in: member.listID) {
            return "\(member.id) is in \(member.listID), and has accepted no invitation to it"
        }
        for contact in look.network where !mayKnow(contact.id, account) {
            return "\(contact.id) is connected, and nobody has accepted an invitation for that"
        }
        for words in look.everyone.map({ "\($0)" }) + look.members.map({ "\($0)" }) + look.lists.map({ "\($0)" })
        where words.contains("@example.com") || words.contains("+43664") {
            return "it tells an email or a number: \(words)"
        }
        return nil
    }

    private func fault(in invitation: Invitation, shownTo account: AccountID) -> String? {
        guard let tag = InvitationTag(in: invitation.text), let story = stories[tag.number] else {
            return "it shows an invitation that nobody has made: \(invitation)"
        }
        stories[tag.number]?.ids.insert(invitation.id)
        let name = "invitation \(tag.number)"
        let isProved = !proofs(of: story.recipient, by: account).isEmpty
        // Whoever has only the link must not see the recipient.
        let mayLack = invitation.direction == .received && story.isOpened(by: account)
        if invitation.recipient != story.recipient && !(mayLack && invitation.recipient == nil)
            || invitation.purpose != story.purpose
        {
            return "\(name) is shown as \(invitation)"
        }
        if let other = invitation.failure?.reason, other == .alreadyInvited, !hasTwin(tag.number, story) {
            return "\(name) has failed because of another one, and there is none"
        }
        if !story.texts.contains(tag.text) { return "\(name) has a text that nobody has written" }
        switch invitation.direction {
        case .sent:
            if account != story.inviter { return "\(name) of \(story.inviter) is shown as sent by \(account)" }
            if invitation.status == .accepted && !(invitation.peer.map { mayHaveAccepted(story, $0) } ?? false) {
                return "\(name) is accepted by \(String(describing: invitation.peer)), who has not accepted it"
            }
        case .received:
            if invitation.peer != story.inviter {
                return "\(name) is shown as \(String(describing: invitation.peer))’s"
            }
            if invitation.name != nil { return "\(name) tells how its inviter calls the recipient" }
            if !isProved && (invitation.recipient != nil || !story.isOpened(by: account)) {
                return "\(name) is shown to \(account), who has not proved \(story.recipient.shown)"
            }
        }
        return nil
    }

    private func mayBe(_ account: AccountID, in list: ListID) -> Bool {
        makers[list] == account
            || stories.values.contains { $0.purpose.list == list && $0.isAccepted(by: account) }
    }

    private func mayKnow(_ one: AccountID, _ other: AccountID) -> Bool {
        let hasAccepted = stories.values.contains { story in
            story.purpose != .join
                && (story.inviter == one && story.isAccepted(by: other)
                    || story.inviter == other && story.isAccepted(by: one))
        }
        return hasAccepted || hasInvited(one, other) && hasInvited(other, one)
    }

    /// Whether an account has invited another to connect, by an identity that the other has proved.
    private func hasInvited(_ inviter: AccountID, _ other: AccountID) -> Bool {
        stories.values.contains {
            $0.inviter == inviter && $0.purpose == .connect && !proofs(of: $0.recipient, by: other).isEmpty
        }
    }

    /// Whether the server may accept an invitation without an answer of its recipient: the two can be connected, or
    /// have invited each other.
    func isAgreed(_ story: InvitationStory, with account: AccountID) -> Bool {
        story.purpose == .connect && !proofs(of: story.recipient, by: account).isEmpty
            && mayKnow(account, story.inviter)
    }

    private func mayHaveAccepted(_ story: InvitationStory, _ account: AccountID) -> Bool {
        story.isAccepted(by: account) || isAgreed(story, with: account)
    }

    /// Whether the inviter has another invitation to the same recipient for the same purpose.
    private func hasTwin(_ number: Int, _ story: InvitationStory) -> Bool {
        stories.contains { $0.key != number && $0.value.isTwin(of: story) }
    }

    /// Whether nothing is known to have ended an invitation since it was sent for the only time.
    private func isOpen(_ story: InvitationStory) -> Bool {
        !story.isRevoked && !story.isRemoved && story.orders.count == 1 && !story.isComposed
            && !story.replies.values.joined().contains { $0.kind == .accept || $0.kind == .acceptByLink }
            && !proofs.keys.contains { isAgreed(story, with: $0) }
    }

    /// Two invitations of one person to the same recipient for the same purpose lead to one message, as long as the
    /// first one is open.
    private func twinFault(in letters: [Int: [SimulatedMail.Letter]], _ mail: SimulatedMail) -> String? {
        for (number, own) in letters.sorted(by: { $0.key < $1.key }) {
            guard let story = stories[number], isOpen(story), let first = own.first,
                mail.accepted.contains(first.id), !mail.refused.contains(first.id)
            else { continue }
            for (other, others) in letters where other != number && stories[other]?.isTwin(of: story) ?? false {
                let range = first.created..<(first.created + .days(1))
                if others.contains(where: { range.contains($0.created) && $0.created != first.created }) {
                    return "invitation \(other) was sent while invitation \(number) is open"
                }
            }
        }
        return nil
    }

    /// What is wrong with the messages; nil if nothing is.
    func fault(in mail: SimulatedMail) -> String? {
        var letters: [Int: [SimulatedMail.Letter]] = [:]
        for letter in mail.letters where letter.kind == .invitation {
            guard let tag = InvitationTag(in: letter.text), let story = stories[tag.number],
                letter.recipient == story.recipient.shown, story.texts.contains(tag.text)
            else { return "\(letter.recipient) gets an invitation that nobody has made: \(letter.text)" }
            letters[tag.number, default: []].append(letter)
        }
        for (number, letters) in letters.sorted(by: { $0.key < $1.key }) {
            let orders = stories[number].map { $0.isComposed ? 0 : $0.orders.count } ?? 0
            if letters.count > orders {
                return "invitation \(number) was sent \(letters.count) times for \(orders) orders"
            }
            let times = letters.map(\.created).sorted()
            if zip(times, times.dropFirst()).contains(where: { $1 < $0 + Limits.resend }) {
                return "invitation \(number) was sent twice within an hour"
            }
        }
        if let fault = twinFault(in: letters, mail) { return fault }
        for (number, story) in stories.sorted(by: { $0.key < $1.key }) {
            guard let dead = story.dead else { continue }
            let late = mail.attempts.dropFirst(dead).contains {
                $0.kind == .invitation && InvitationTag(in: $0.text)?.number == number
            }
            if late { return "invitation \(number) was revoked, and its message is sent after that" }
        }
        return nil
    }

    // MARK: Once nothing waits

    /// The devices of one account show the same.
    func differenceFault(_ looks: [InvitationLook]) -> String? {
        guard let first = looks.first else { return nil }
        for look in looks where look.account == first.account {
            if look.waiting > 0 { return "\(look.waiting) edits are not sent" }
            if look.invitations != first.invitations {
                return "two devices show different invitations: \(first.invitations) and \(look.invitations)"
            }
        }
        return nil
    }

    /// Judges the end of an invitation.
    ///
    /// - Parameters:
    ///   - number: The invitation.
    ///   - looks: What the devices of each living account show.
    ///   - mail: The emails and SMS.
    ///   - time: The server's time.
    /// - Returns: What is wrong; nil if nothing is.
    func endFault(
        of number: Int, _ looks: [AccountID: [InvitationLook]], _ mail: SimulatedMail, at time: Timestamp
    ) -> String? {
        guard let story = stories[number] else { return nil }
        if let fault = sentFault(of: number, story, looks, mail) { return fault }
        if let fault = openFault(of: number, story, looks, at: time) { return fault }
        for (account, replies) in story.replies.sorted(by: { $0.key < $1.key }) {
            guard let look = looks[account], let last = replies.last, last.isDone else { continue }
            if let fault = replyFault(last, of: account, to: number, story, look) { return "\(account): \(fault)" }
        }
        for (account, looks) in looks.sorted(by: { $0.key < $1.key }) {
            let shown = looks.first?.invitation(number, .received)
            if shown?.status == .accepted, let fault = resultFault(of: story, with: account, looks) {
                return "\(account) has accepted: \(fault)"
            }
        }
        return nil
    }

    // MARK: The inviter

    private func sentFault(
        of number: Int, _ story: InvitationStory, _ looks: [AccountID: [InvitationLook]], _ mail: SimulatedMail
    ) -> String? {
        guard let mine = looks[story.inviter], let look = mine.first else { return nil }
        let shown = look.invitation(number, .sent)
        let isRejected = mine.contains { $0.rejects(story.ids) }
        switch story.course {
        case .removed: if let shown, !isRejected { return "its inviter has removed it, and it is \(shown.status)" }
        case .revoked:
            guard let shown, !isRejected, ![.cancelled, .accepted].contains(shown.status) else { break }
            return "its inviter has revoked it, and it is \(shown.status)"
        case .ordered:
            if shown == nil && !isRejected && !story.isRemoved { return "its inviter does not see it any more" }
            if shown?.status == .cancelled && !isRejected { return "it was sent again, and is cancelled" }
        case nil: break
        }
        guard let shown, shown.status == .pending, story.course == .ordered, !isRejected else { return nil }
        guard let notified = shown.notified else { return "it was never sent, and nobody says why" }
        if story.isComposed { return nil }
        let others = Set(looks.keys).union(deleted).subtracting([story.inviter])
        let isUnwanted = story.isRefused || others.contains { areParted($0, story.inviter) }
        let isDelivered = mail.letters.contains {
            InvitationTag(in: $0.text)?.number == number && $0.created == notified
        }
        if !isDelivered && !isUnwanted { return "its inviter sees that it was sent, and no message was delivered" }
        return nil
    }

    /// An invitation to connect is not open between people who are connected.
    private func openFault(
        of number: Int, _ story: InvitationStory, _ looks: [AccountID: [InvitationLook]], at time: Timestamp
    ) -> String? {
        // Without the inviter's report, a composed invitation was not sent yet.
        guard story.purpose == .connect, !story.isComposed, let mine = looks[story.inviter]?.first,
            let sent = mine.invitation(number, .sent), sent.isOpen(at: time)
        else { return nil }
        for (account, looks) in looks.sorted(by: { $0.key < $1.key }) where !areParted(account, story.inviter) {
            guard let received = looks.first?.invitation(number, .received), received.isOpen(at: time),
                received.failure == nil, mine.network.contains(where: { $0.id == account })
            else { continue }
            return "its inviter is connected with \(account), and it is still open"
        }
        return nil
    }

    // MARK: The recipient

    private func replyFault(
        _ reply: InvitationStory.Reply, of account: AccountID, to number: Int, _ story: InvitationStory,
        _ looks: [InvitationLook]
    ) -> String? {
        let shown = looks.first?.invitation(number, .received)
        if looks.contains(where: { $0.rejects(story.ids) }) { return nil }
        let isWithdrawn =
            story.isRevoked || story.isRemoved || deleted.contains(story.inviter)
            || story.replies.contains { $0.key != account && story.isAccepted(by: $0.key) }
        let wasRemoved = story.replies[account, default: []].contains { $0.kind == .removal }
        let proofs = proofs(of: story.recipient, by: account)
        if shown?.status == .accepted && isAgreed(story, with: account) { return nil }
        switch reply.kind {
        case .accept, .acceptByLink:
            if shown?.status == .accepted || shown?.failure != nil { return nil }
            if shown == nil && (isWithdrawn || wasRemoved) { return nil }
            if isWithdrawn && reply.kind == .accept && shown != nil { return nil }
            return "it has accepted, and it is \(shown.map { "\($0.status)" } ?? "gone")"
        case .decline:
            if shown?.status == .declined || shown == nil && (isWithdrawn || wasRemoved) { return nil }
            if story.isAccepted(by: account) || story.isRenewed(after: reply.time, proofs: proofs) { return nil }
            return "it has declined, and it is \(shown.map { "\($0.status)" } ?? "gone")"
        case .removal:
            if shown == nil || story.isRenewed(after: reply.time, proofs: proofs) { return nil }
            if story.isAccepted(by: account) { return nil }
            // A revocation has removed the record before the recipient's removal arrived. Sending the invitation again
            // makes a new record.
            if story.isRevoked, story.orders.contains(where: { $0 > reply.time }) { return nil }
            return "it has removed it, and it is \(shown.map { "\($0.status)" } ?? "gone")"
        }
    }

    /// The two are connected, and the recipient is in the list with the role, unless they have parted since.
    private func resultFault(of story: InvitationStory, with account: AccountID, _ looks: [InvitationLook]) -> String? {
        guard !deleted.contains(story.inviter), let look = looks.first else { return nil }
        if story.purpose != .join, !areParted(account, story.inviter),
            !look.network.contains(where: { $0.id == story.inviter })
        {
            return "the two are not connected"
        }
        if case .list(let list, let role) = story.purpose, !partedLists.contains(list) {
            guard let own = look.role(of: account, in: list) else { return "it is not in the list" }
            if own < role { return "it is in the list as \(own), and was invited as \(role)" }
        }
        return nil
    }

    /// Both sides of an accepted invitation know that.
    func agreementFault(of number: Int, _ looks: [AccountID: [InvitationLook]]) -> String? {
        guard let story = stories[number], let sent = looks[story.inviter]?.first?.invitation(number, .sent) else {
            return nil
        }
        for (account, looks) in looks.sorted(by: { $0.key < $1.key }) {
            let received = looks.first?.invitation(number, .received)
            if received?.status == .accepted && (sent.status != .accepted || sent.peer != account) {
                return "\(account) shows it as accepted, and its inviter as \(sent.status)"
            }
            if sent.status == .accepted, sent.peer == account, let received, received.status != .accepted {
                return "its inviter shows it as accepted by \(account), who shows it as \(received.status)"
            }
        }
        return nil
    }
}

extension InvitationLook {
    /// Whether the device shows a rejection of an edit of one of these invitations.
    fileprivate func rejects(_ ids: Set<InvitationID>) -> Bool {
        rejections.contains { $0.collection == .invitations && ids.contains($0.record.retyped()) }
    }
}
