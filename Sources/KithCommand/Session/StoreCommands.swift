import ArgumentParser
import Kith
import KithModel

/// `kith move-lists`: takes lists from the userless store into the session's account, or back.
struct MoveListsCommand: EditCommand {
    static let configuration = CommandConfiguration(
        commandName: "move-lists", abstract: "Move lists made without a session into the session's account.",
        discussion: """
            All lists move together, or none. A list keeps its id where it can; the answer names the new one where not.
            """)
    @Argument(help: "The lists; without any, all of them.") var names: [String] = []
    @Flag(help: "The other way: from the account to the store without a session.") var back = false
    @OptionGroup var options: GlobalOptions

    func answer(_ desk: Desk) async throws -> Answer {
        guard let account = try await desk.client.session.account() else {
            throw Failure(.notSignedIn, "unauthorized", "There is no session to move to. Open one: kith session new")
        }
        let source: Wall = back ? .account(account) : .userless
        let all = try await desk.lists.all(behind: source)
        let chosen = try names.map { try Reference($0).resolve(among: all.map(\.nameable), kind: "list").id }
        let moved = try await desk.lists.moveLists(
            names.isEmpty ? nil : chosen, from: source, to: back ? .userless : .account(account))
        let pairs = moved.sorted { $0.key < $1.key }
        return Answer(
            .object([
                "moved": .list(pairs) { before, after in
                    .object(["from": .text(before.description), "to": .text(after.description)])
                }
            ]),
            "Moved \(moved.count.things("list")) \(back ? "out of" : "into") the account.")
    }
}

/// `kith drop-data`: forgets what this device has.
struct DropDataCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop-data", abstract: "Forget data on this device. The server keeps what it has.",
        discussion: """
            A session goes with its data. An anonymous one cannot be opened again, except by its token: \
            kith session show --token
            """)

    enum Scope: String, CaseIterable, ExpressibleByArgument {
        case account, userless, everything
    }

    @Argument(
        help: """
            account: what belongs to the open session. userless: what was made without a session. everything: all of it, \
            of other accounts too.
            """)
    var scope: Scope
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: GlobalOptions

    func answer(_ desk: Desk) async throws -> Answer {
        let wall: Wall?
        switch scope {
        case .everything: wall = nil
        case .userless: wall = .userless
        case .account:
            guard let account = try await desk.client.session.account() else {
                throw Failure(.notSignedIn, "unauthorized", "There is no session, so there is no data of one.")
            }
            wall = .account(account)
        }
        let status = try await desk.client.status()
        let loss = status.waiting > 0 ? " \(status.waitingSentence) They will be lost." : ""
        let warning =
            scope == .userless
            ? "" : " An anonymous session cannot be opened again without its token: kith session show --token."
        try desk.console.confirm("Forget \(scope.words) on this device?" + warning + loss, given: yes)
        try await desk.lists.dropAllData(of: wall)
        return Answer(.object(["dropped": .text(scope.rawValue)]), "Forgot \(scope.words) on this device.")
    }
}

extension DropDataCommand.Scope {
    fileprivate var words: String {
        switch self {
        case .account: "the data of the open session"
        case .userless: "what was made without a session"
        case .everything: "all data"
        }
    }
}
