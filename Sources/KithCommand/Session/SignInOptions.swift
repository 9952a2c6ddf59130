import ArgumentParser
import Foundation
import Kith

/// The options of commands that sign in.
struct SignInOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The name of this device, for messages and for kith session devices (the name of this computer).",
            valueName: "name"))
    var device: String?
    @Flag() var choice: StoreChoice?
    @Flag(help: "Do not ask; keep the data of the former account.") var yes = false

    /// The name of this device.
    var deviceName: String { device ?? ProcessInfo.processInfo.hostName }

    /// Carries out the decision about the stores that a sign-in has hidden: see ``StoreSettlement/settle(signIn:_:yes:)``.
    func settle(_ hidden: HiddenStores, _ context: CommandContext) async throws -> Shape {
        try await context.settlement.settle(signIn: hidden, choice, yes: yes)
    }
}
