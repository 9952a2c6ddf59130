/// A command that can make another store the current one. It reports itself which stores it hides.
protocol SwitchingCommand: ClientCommand {}

extension SwitchingCommand {
    mutating func run() async throws {
        try await printedAnswer(from: CommandContext(options)).end()
    }
}
