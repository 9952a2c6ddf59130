import ArgumentParser
import KithModel

/// The option that says how something is shared without the server.
struct ChannelOption: ParsableArguments {
    @Option(
        name: .customLong("by"),
        help: ArgumentHelp(
            "How: link, message, sheet, scan or a name of yours, 1 to 32 of a-z, 0-9 and hyphens (link).",
            valueName: "channel"), transform: ShareChannel.argument)
    var given: ShareChannel?

    var channel: ShareChannel { given ?? .link }

    func validate() throws {
        if given == .email { throw ValidationError("To share by email: kith share email ADDRESS") }
    }
}

extension ShareChannel {
    /// Reads a channel from the command line.
    fileprivate static func argument(_ text: String) throws -> ShareChannel {
        if let channel = ShareChannel(rawValue: text) { return channel }
        throw ValidationError("“\(text)” is no name of a channel. It has 1 to 32 of a-z, 0-9 and hyphens.")
    }
}
