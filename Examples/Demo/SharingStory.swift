import Foundation
import Kith
import KithModel

/// The fifth act: Ada shares a link with Mia, who has no account. Mia opens the page and joins, both are rewarded, and the
/// operator sees the funnel.
struct SharingStory: Sendable {
    let say: Narrator
    let url: URL
    let folder: DemoFolder
    let server: Server
    /// Ada, on her phone.
    let ada: Person
    let tablet: KithClient

    private static let code = "ADA-TEA"
    private static let miaEmail = "mia@example.com"

    func tell() async throws {
        async let _: Void = ada.client.run()
        async let _: Void = tablet.run()
        let wishes = try await publishWishes()
        let mine = try await share(wishes)
        let mia = try await join(by: ada.client.sharing.link(of: mine, by: .message))
        async let _: Void = mia.client.run()
        try await receiveRewards(mia)
        try await drawFunnel()
        let invitation = try await inviteToList()
        try folder.note(pages: [
            ("/s/\(Self.code)", "the page of Ada's link, with her wishes"),
            (wishes.path, "the wishes, where a friend says “I give this”"),
            ("/sign-in?share=\(Self.code)", "joining in the browser"),
            (invitation, "an invitation to a list of Ada, which nobody has accepted yet"),
            ("/account", "the account of whoever has signed in: ada@example.com, for example"),
            ("/admin", "the operator's page, with the funnel"),
        ])
    }

    /// Ada's invitation to another list, for whoever looks at the pages.
    ///
    /// - Returns: The path of its page.
    private func inviteToList() async throws -> String {
        let lists = ada.client.lists
        let list = try await lists.create("Garden party")
        for title in ["Lemonade", "Paper lanterns"] { try await lists.add(title, to: list.id) }
        let link = try await lists.invite(to: list.id, as: .editor, expiresIn: .days(365))
        guard let path = link.url.flatMap({ URL(string: $0) })?.path() else {
            throw StoryError("The garden party has an invitation.")
        }
        return path
    }

    /// Ada's wishes, which the page of her link shows.
    private func publishWishes() async throws -> (token: String, path: String) {
        let lists = ada.client.lists
        let list = try await lists.create("Ada's wishes", kind: SharedList.wishKind)
        for title in ["A teapot", "A book about bees", "Warm socks"] { try await lists.add(title, to: list.id) }
        let link = try await lists.publish(list.id, canTick: true)
        guard let token = link.token, let path = link.url.flatMap({ URL(string: $0) })?.path() else {
            throw StoryError("The wishes have a public link.")
        }
        return (token, path)
    }

    /// Ada makes her link, chooses its code, and sends it in a message of her own.
    private func share(_ wishes: (token: String, path: String)) async throws -> Shareable {
        try say.chapter("A link with a code of one's own")
        try Samples.programme.write(to: folder.programme)
        let made = try await server.admin("programme", "create", folder.programme.path(percentEncoded: false))
        try say("server", String(made.split(separator: "\n").first ?? ""))
        let sharing = ada.client.sharing
        let id = try await sharing.shareable(in: "friends").id
        try await sharing.setCode(Self.code, of: id)
        try await sharing.update(id, list: wishes.token)
        try await wait(for: "The server has the code.", in: sharing.liveReadiness(of: id)) { $0 }
        let message = try await sharing.compose(id, by: .message)
        try await sharing.share(id, by: .message)
        try say("phone", "sends a message: \(message.text)")
        try await wait(for: "The tablet has the link.", in: tablet.sharing.liveShareables()) { all in
            all.contains { $0.id == id && $0.code.text == Self.code }
        }
        try say("tablet", "shows the same link")
        guard let mine = try await sharing.shareable(id) else { throw StoryError("Ada has her link.") }
        return mine
    }

    /// Mia opens the link in a browser, and joins on a new device with the code.
    private func join(by link: String) async throws -> Person {
        try say.chapter("Opened in a browser, and joined")
        let page = try await WebPage(link)
        try check(page.text.contains(Self.code), "The page shows the code.")
        try say("Mia", "opens \(link)")
        try say("Mia", "reads “\(page.heading)”, and sees the code \(Self.code)")
        let mia = try await Person("Mia", "Novak", at: url, in: folder.people.appending(path: "mia"))
        let claim = try await mia.client.sharing.use(code: link)
        try say("Mia", "installs the app, and uses the code \(claim.code)")
        try await Mailbox(server: server).prove(Self.miaEmail, of: mia, device: "Mia's phone")
        return mia
    }

    /// Each of the two has a reward, and Ada on both of her devices.
    private func receiveRewards(_ mia: Person) async throws {
        try say.chapter("Rewards for both")
        for (device, client) in [("Mia", mia.client), ("phone", ada.client), ("tablet", tablet)] {
            try await wait(for: "\(device) shows a reward.", in: client.sharing.changes()) { change in
                !(change.rewards.added + change.rewards.modified).isEmpty
            }
            guard let reward = try await client.sharing.rewards().first else {
                throw StoryError("\(device) has a reward.")
            }
            try say(device, "has “\(reward.title ?? reward.name)”")
        }
        let referrals = try await ada.client.sharing.referrals()
        try check(referrals.count == 1 && referrals[0].state == .granted, "Ada has brought one person.")
    }

    /// The operator sees how many people got how far. Visits are stored after some seconds.
    private func drawFunnel() async throws {
        try say.chapter("Seen by the operator")
        let start = ContinuousClock.now
        while true {
            let funnel = try await server.admin("funnel", "--days", "7")
            if funnel.contains(/visited +[1-9]/) { return try say.note(funnel) }
            try check(start.milliseconds < 60_000, "The funnel counts Mia's visit.")
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}
