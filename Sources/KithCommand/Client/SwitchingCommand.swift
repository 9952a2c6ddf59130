/// A command that can make another store the current one. It reports itself which stores it hides.
protocol SwitchingCommand: ClientCommand {}

extension SwitchingCommand {
    mutating func run() async throws {
        let context = try await CommandContext(options)
        try await context.requireNamed()
        try await printedAnswer(from: context).end()
    }
}
