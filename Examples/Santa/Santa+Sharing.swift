import Kith
import KithModel

/// The wish list, and sharing it.
extension Santa {
    /// The user's wish list, made at its first use.
    func wishes() async throws -> SharedList {
        if let list = try await client.lists.all().first(where: { $0.isWishList && $0.role == .owner }) { return list }
        return try await client.lists.create("My wishes", kind: SharedList.wishKind)
    }

    func showWishes() async throws {
        let items = try await client.lists.items(in: wishes().id)
        terminal.say(items.map { "• \($0.title)" }.joined(separator: "\n"))
    }

    /// What the user shares, made at its first use: in the first programme of the server.
    func mine() async throws -> Shareable {
        guard let programme = try await client.sharing.programmes().first(where: { !$0.isPaused }) else {
            throw KithError(.noProgramme, "The server has no programme: see kith admin programme create.")
        }
        return try await client.sharing.selected(in: programme.name)
    }

    func showLink() async throws {
        let mine = try await mine()
        let (link, isReady) = (try client.sharing.link(of: mine), try await client.sharing.isReady(mine.id))
        terminal.say(isReady ? link : "\(link) (works when it is sent)")
    }

    /// The page of the link shows the wishes. Friends say there who gives what, and the user never learns it.
    func showWishesOnPage() async throws {
        let (list, mine) = (try await wishes(), try await mine())
        let link = try await client.lists.publish(list.id, canTick: true)
        try await client.sharing.update(mine.id, list: link.token)
        try await client.syncNow()
        try await showLink()
    }

    func share(_ chosen: String) async throws {
        let mine = try await mine()
        var typed = chosen
        if typed.isEmpty { typed = await terminal.ask("message, sheet, link, email, or a channel of your own?") ?? "" }
        guard let channel = ShareChannel(rawValue: typed) else { return terminal.say("“\(typed)” is no channel.") }
        if channel == .email {
            let typed = await terminal.ask("To which email?") ?? ""
            guard let email = EmailAddress(typed) else { return terminal.say("“\(typed)” is no email.") }
            try await client.sharing.email(mine.id, to: .email(email))
        } else {
            terminal.say(try await client.sharing.compose(mine.id, by: channel).text)
            // A share counts only if the user has completed the sheet.
            guard await terminal.agrees(to: "Have you sent it?") else { return terminal.say("Nothing was shared.") }
            try await client.sharing.share(mine.id, by: channel)
        }
        terminal.say("shared: \(channel.rawValue)")
    }

    func showFriends() async throws {
        for referral in try await client.sharing.referrals() {
            terminal.say("friend: \(referral.friendName ?? "somebody"), \(referral.state.rawValue)")
        }
        for reward in try await client.sharing.rewards() { terminal.say("reward: \(reward.title ?? reward.name)") }
    }
}
