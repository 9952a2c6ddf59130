import ArgumentParser
import Kith
import KithModel

/// `kith drop-data`: deletes data from this device.
struct DropDataCommand: SwitchingCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop-data", abstract: "Delete data from this device. The server keeps its copy.",
        discussion: """
            A session goes with its data. An anonymous one that is open cannot be taken over again, except by its token, \
            which kith session show --token shows, or by a recovery code.

            The address book belongs to the device, so it stays. kith contacts remove-source removes its sources.
            """)

    @Argument(
        help: ArgumentHelp(
            """
            account: what belongs to the open session. userless: what was made without a session. everything: all of it, \
            of other accounts too. Or an account of this device: see kith accounts.
            """, valueName: "scope"))
    var scope: String
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: GlobalOptions

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        let stores = try await context.client.accounts.all()
        let target = try await target(context, stores)
        let chosen = stores.filter { target == nil || $0.scope == target }
        let dropped = Hiding(stores: chosen, current: .userless)
        let loss = dropped.stores.isEmpty ? "" : " " + dropped.loss
        let words = target.map { "the data of \($0)" } ?? "all data"
        try context.console.confirm("Forget \(words) on this device?" + chosen.tokenWarning + loss, given: yes)
        let accounts = try context.wholeDevice().accounts
        // What another program has added since the question is not dropped.
        if let target {
            try await accounts.drop(target, expecting: chosen)
        } else {
            try await accounts.dropEverything(expecting: chosen)
        }
        // The question has listed the losses.
        return CommandAnswer(["dropped": scope], "Forgot \(words) on this device.\(yes ? loss : "")")
    }

    /// The named store; nil for all.
    private func target(_ context: CommandContext, _ stores: [StoredAccount]) async throws -> AccountScope? {
        switch scope {
        case "everything": return nil
        case "account":
            guard let account = try await context.client.session.account() else {
                throw Failure(.notSignedIn, "unauthorized", "There is no session, so there is no data of one.")
            }
            return .account(account)
        default: return try StoreReference(text: scope).resolve(among: stores)
        }
    }
}
