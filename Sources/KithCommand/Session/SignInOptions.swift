import ArgumentParser
import Foundation

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
}
