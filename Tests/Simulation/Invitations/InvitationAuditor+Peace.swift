import Kith
import KithModel

/// What holds once every device has synced, every message was delivered, and nothing waits.
extension InvitationAuditor {
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
