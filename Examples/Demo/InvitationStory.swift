import Foundation
import Kith
import KithModel

/// The fourth act: Ada invites Ben, who does not use the service yet, and sees each step on both of her devices.
struct InvitationStory: Sendable {
    let say: Narrator
    let server: Server
    /// Ada, on her phone.
    let ada: Person
    let tablet: KithClient
    let ben: Person

    private var mailbox: Mailbox { Mailbox(server: server) }

    private static let adaEmail = "ada@example.com"
    private static let benEmail = "ben@example.com"

    init(_ say: Narrator, _ url: URL, _ folder: DemoFolder, _ server: Server) async throws {
        (self.say, self.server) = (say, server)
        let people = folder.people
        ada = try await Person("Ada", "Berger", at: url, in: people.appending(path: "ada"))
        tablet = try KithClient(
            KithConfiguration(server: url, storage: .directory(people.appending(path: "ada-tablet"))))
        ben = try await Person("Ben", "Huber", at: url, in: people.appending(path: "ben"))
    }

    func tell() async throws {
        try await signIn()
        async let _: Void = ada.client.run()
        async let _: Void = tablet.run()
        let (list, invitation) = try await invite()
        async let _: Void = ben.client.run()
        try await register(for: list)
        try await arrive(in: list, by: invitation)
    }

    /// Ada proves her email on the phone. The tablet joins by a QR code.
    private func signIn() async throws {
        try say.chapter("One account on two devices")
        try await mailbox.prove(Self.adaEmail, of: ada, device: "Ada's phone")
        let pairing = try await ada.client.pairings.make()
        try say("phone", "shows a QR code for the tablet: \(pairing.link.prefix(36))…")
        let result = try await tablet.pairings.use(link: pairing.link, device: "Ada's tablet")
        try check(result.account == ada.account, "Both devices have the same account.")
        let devices = try await ada.client.session.all().compactMap(\.device).sorted()
        try say("tablet", "reads it, and has Ada's account; her devices are \(devices.joined(separator: " and "))")
    }

    /// Ada invites Ben to a list. The server sends him an email.
    private func invite() async throws -> (list: ListID, invitation: InvitationID) {
        try say.chapter("Invited by email")
        let list = try await ada.client.lists.create("Summer house")
        try await ada.client.lists.add("Charcoal", to: list.id)
        let proposal = try await ada.client.invitations.proposedText(for: .list(list.id, .editor), in: ["en"])
        try say("phone", "proposes “\(proposal)”, and Ada writes more below it")
        let invitation = try await ada.client.invitations.invite(
            try Mailbox.email(Self.benEmail), to: .list(list.id, .editor),
            text: "\(proposal) Bring what is missing, and your guitar.", name: "Ben")
        try await wait(for: "The tablet shows that the message is on its way.", in: tablet.invitations.live()) { all in
            all.contains { $0.id == invitation.id && $0.notified != nil }
        }
        try say("tablet", "shows the invitation to \(invitation.shownName), and that the server has sent it:")
        for line in try await mailbox.newest().dropFirst(2) { try say("mail", line) }
        return (list.id, invitation.id)
    }

    /// Ben follows the link on a new device, proves his email, and accepts.
    private func register(for list: ListID) async throws {
        try say.chapter("Registered on a new device")
        let links = try await mailbox.newest().compactMap { URL(string: $0).flatMap { KithLink($0) } }
        guard let link = links.first(where: { $0.kind == .invitation }) else {
            throw StoryError("The mail has the invitation's link.")
        }
        let preview = try await ben.client.invitations.preview(link: link.text)
        let (name, role) = (preview.list ?? "", preview.role?.rawValue ?? "")
        try say("Ben", "opens the link: \(preview.inviter ?? "") invites him to “\(name)” as \(role)")
        try await mailbox.prove(Self.benEmail, of: ben, device: "Ben's phone")
        try await wait(for: "Ben receives the invitation.", in: ben.client.invitations.live()) { all in
            all.contains { $0.direction == .received && $0.status == .pending }
        }
        guard let received = try await ben.client.invitations.pending().first else {
            throw StoryError("The invitation waits for Ben's answer.")
        }
        try say("Ben", "has the invitation because the email is his, and accepts it")
        try await ben.client.invitations.accept(received.id)
        try await wait(for: "Ben has the list.", in: ben.client.lists.live()) { lists in
            lists.contains { $0.id == list && $0.role == .editor }
        }
        try await ben.waits(for: ada, "is connected to Ada") { $0.relation == .connected }
        try say("Ben", "is connected to Ada, and is an editor of “\(name)”")
    }

    /// Both of Ada's devices show that Ben has joined.
    private func arrive(in list: ListID, by invitation: InvitationID) async throws {
        try say.chapter("Seen on both of Ada's devices")
        for (device, client) in [("phone", ada.client), ("tablet", tablet)] {
            try await wait(for: "The \(device) shows that Ben has accepted.", in: client.invitations.live()) { all in
                all.contains { $0.id == invitation && $0.status == .accepted }
            }
            let ben = ben.account
            try await wait(for: "The \(device) shows that Ben is connected.", in: client.network.live()) { people in
                people.contains { $0.id == ben && $0.relation == .connected }
            }
            try await wait(for: "The \(device) shows Ben in the list.", in: client.lists.memberChanges()) { change in
                (change.added + change.modified).contains { $0.listID == list && $0.id == ben && $0.role == .editor }
            }
            try say(device, "shows that Ben has accepted, is connected, and can edit the list")
        }
        let start = ContinuousClock.now
        try await ben.client.lists.add("Guitar strings", to: list)
        try await wait(for: "The tablet shows Ben's item.", in: tablet.lists.liveItems(in: list)) { items in
            items.contains { $0.title == "Guitar strings" }
        }
        try say("tablet", "shows “Guitar strings” \(start.milliseconds) ms after Ben added it")
    }
}
