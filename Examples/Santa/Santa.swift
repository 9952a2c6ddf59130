import Foundation
import Kith
import KithModel

/// A small app that shares a wish list with friends, in a terminal. It uses Kith's public SDK, and nothing else.
@main struct Santa: Sendable {
    let client: KithClient
    let folder: URL
    let terminal: Terminal
    private let log = LogBook()

    static func main() async {
        let terminal = Terminal()
        var options = ["--server": "http://127.0.0.1:8480", "--data": "santa-data"]
        var arguments = CommandLine.arguments.dropFirst()
        while let name = arguments.popFirst() {
            guard options[name] != nil, let value = arguments.popFirst() else {
                terminal.say("usage: Santa [--server URL] [--data FOLDER]")
                exit(2)
            }
            options[name] = value
        }
        do {
            let folder = URL(filePath: options["--data"] ?? "", directoryHint: .isDirectory)
            let santa = try Santa(URL(string: options["--server"] ?? ""), folder, terminal)
            await santa.run()
        } catch {
            terminal.say("Santa cannot start: \(error)")
            exit(1)
        }
    }

    init(_ server: URL?, _ folder: URL, _ terminal: Terminal) throws {
        (self.folder, self.terminal) = (folder, terminal)
        var configuration = KithConfiguration(server: server, storage: .directory(folder))
        configuration.logger = log.logger
        client = try KithClient(configuration)
    }

    /// Does what the user types, until there is no more.
    private func run() async {
        let syncing = Task { await client.run() }
        let watching = Task {
            for await state in client.session.states() { terminal.say("state: \(state.rawValue)") }
        }
        terminal.say(Action.menu)
        while let line = await terminal.ask("What now?") {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let action = words.first.flatMap { Action($0) } ?? .help
            if action == .quit { break }
            do {
                try await perform(action, words.count > 1 ? words[1] : "")
            } catch {
                terminal.say("\(error)")
            }
        }
        watching.cancel()
        syncing.cancel()
        await syncing.value
    }

    private func perform(_ action: Action, _ text: String) async throws {
        switch action {
        case .state: try await showState()
        case .who: try await showIdentity()
        case .name: try await client.network.setName(text)
        case .wishes: try await showWishes()
        case .wish: try await client.lists.add(text, to: wishes().id)
        case .page: try await showWishesOnPage()
        case .message: terminal.say(try await client.sharing.compose(mine().id, by: .message).text)
        case .link: try await showLink()
        case .share: try await share(text)
        case .use: try await client.sharing.use(code: text)
        case .friends: try await showFriends()
        case .identify: try await identify(text)
        case .save: try await saveToken()
        case .restore: try await restoreToken()
        case .new: try await client.session.open()
        case .out: try await client.session.logOut()
        case .log: for line in log.lines { terminal.say(line) }
        case .help, .quit: terminal.say(Action.menu)
        }
    }

    // MARK: Who the user is, and the session

    func showState() async throws {
        let status = try await client.status()
        let ready = try await client.session.isReadyToShare() ? "ready to share" : "not ready to share"
        let error = status.lastError?.sentence ?? "no error"
        terminal.say("state: \(status.session.rawValue); \(ready); \(status.waiting) edits wait; \(error)")
    }

    func showIdentity() async throws {
        let (profile, account) = (try await client.network.profile(), try await client.session.account())
        terminal.say("account: \(account?.description ?? "none yet")\nname: \(profile.fullName ?? "none")")
        // Only the server knows what is proved, so without it this is an error.
        let proved = try await client.signIn.identities().map(\.identity.shown)
        terminal.say("email: \(proved.first ?? profile.claimedEmail ?? "none"); \(proved.count) proved")
    }

    /// An email without a proof is a note for the app. Proved with a code, it also opens the account on other devices.
    func identify(_ text: String) async throws {
        try await client.network.setClaimedEmail(text)
        guard let email = EmailAddress(text) else { return }
        let sent = try await client.signIn.requestCode(for: .email(email), device: "Santa")
        let code = await terminal.ask("The code in the email, or nothing to prove it later:") ?? ""
        if code.isEmpty { return }
        let result = try await client.signIn.check(code, of: sent)
        terminal.say("identified: \(email.text)")
        try await decide(about: result.hidden)
    }

    private var tokenFile: URL { folder.appending(path: "santa.token") }

    func saveToken() async throws {
        guard let token = try await client.session.token() else { return terminal.say("There is no session.") }
        // Only the user may read it, because it opens the account.
        try Data().write(to: tokenFile)
        let path = tokenFile.path(percentEncoded: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try Data(token.utf8).write(to: tokenFile)
        terminal.say("saved")
    }

    func restoreToken() async throws {
        let activation = try await client.session.activate(token: String(contentsOf: tokenFile, encoding: .utf8))
        terminal.say("restored: \(activation.account)")
        try await decide(about: activation.hidden)
    }

    /// Another account is shown now. What the device had before is moved to it only if the user says so.
    private func decide(about hidden: HiddenStores) async throws {
        for store in hidden.stores {
            let isMoved = await terminal.agrees(to: "Move the \(store.lists) lists that this device had before?")
            try await client.accounts.decide(isMoved ? .move : .keep, about: store.scope)
        }
    }

    // MARK: The wish list, and sharing it

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
