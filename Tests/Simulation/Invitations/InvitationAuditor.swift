import Kith
import KithModel
import KithServer

/// Judges invitations by what people did, what their devices show, and which emails were delivered.
///
/// It knows nothing of the server's tables.
final class InvitationAuditor {
    /// What people did with each invitation, by its number.
    private(set) var stories: [Int: InvitationStory] = [:]
    /// When each account has proved an email.
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
        where words.contains("@example.com") {
            return "it tells an email: \(words)"
        }
        return nil
    }

    private func fault(in invitation: Invitation, shownTo account: AccountID) -> String? {
        guard let tag = InvitationTag(in: invitation.text), let story = stories[tag.number] else {
            return "it shows an invitation that nobody has made: \(invitation)"
        }
        stories[tag.number]?.ids.insert(invitation.id)
        let name = "invitation \(tag.number)"
        if invitation.recipient != story.recipient || invitation.purpose != story.purpose {
            return "\(name) is shown as \(invitation)"
        }
        if !story.texts.contains(tag.text) { return "\(name) has a text that nobody has written" }
        switch invitation.direction {
        case .sent:
            if account != story.inviter { return "\(name) of \(story.inviter) is shown as sent by \(account)" }
            if invitation.status == .accepted && !(invitation.peer.map { story.isAccepted(by: $0) } ?? false) {
                return "\(name) is accepted by \(String(describing: invitation.peer)), who has not accepted it"
            }
        case .received:
            if invitation.peer != story.inviter {
                return "\(name) is shown as \(String(describing: invitation.peer))’s"
            }
            if invitation.name != nil { return "\(name) tells how its inviter calls the recipient" }
            if proofs(of: story.recipient, by: account).isEmpty && !story.isOpened(by: account) {
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
        stories.values.contains { story in
            story.purpose != .join
                && (story.inviter == one && story.isAccepted(by: other)
                    || story.inviter == other && story.isAccepted(by: one))
        }
    }

    /// What is wrong with the emails; nil if nothing is.
    func fault(in mail: SimulatedMail) -> String? {
        var letters: [Int: [SimulatedMail.Letter]] = [:]
        for letter in mail.letters where letter.kind == .invitation {
            guard let tag = InvitationTag(in: letter.text), let story = stories[tag.number],
                letter.recipient == story.recipient.shown, story.texts.contains(tag.text)
            else { return "\(letter.recipient) gets an invitation that nobody has made: \(letter.text)" }
            letters[tag.number, default: []].append(letter)
        }
        for (number, letters) in letters.sorted(by: { $0.key < $1.key }) {
            let orders = stories[number]?.orders.count ?? 0
            if letters.count > orders {
                return "invitation \(number) was sent \(letters.count) times for \(orders) orders"
            }
            let times = letters.map(\.created).sorted()
            if zip(times, times.dropFirst()).contains(where: { $1 < $0 + Limits.resend }) {
                return "invitation \(number) was sent twice within an hour"
            }
        }
        for (number, story) in stories.sorted(by: { $0.key < $1.key }) {
            guard let dead = story.dead else { continue }
            let late = mail.attempts.dropFirst(dead).contains {
                $0.kind == .invitation && InvitationTag(in: $0.text)?.number == number
            }
            if late { return "invitation \(number) was revoked, and its message is sent after that" }
        }
        return nil
    }
}
