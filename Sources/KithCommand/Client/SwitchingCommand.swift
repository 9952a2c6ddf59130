/// A command that can make another store the current one. It reports itself which stores it hides.
protocol SwitchingCommand: ClientCommand {}

extension SwitchingCommand {
    mutating func run() async throws { try await run(in: CommandContext(options)) }

    /// Runs the command in a context of its options, and prints the answer.
    func run(in context: CommandContext) async throws {
        try await context.requireNamed()
        try await printedAnswer(from: context).end()
    }
}
