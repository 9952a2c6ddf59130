import Kith

/// A command that changes something. The change is saved on this device, then sent if the server can be reached.
protocol EditCommand: ClientCommand {
    /// Whether there is something to send afterwards. False if the command has only shown something.
    func hasEdited(_ context: CommandContext) async throws -> Bool
}

extension EditCommand {
    func hasEdited(_ context: CommandContext) async throws -> Bool { true }

    mutating func run() async throws {
        let context = try await CommandContext(options)
        let before = try await context.unsentEdits.before()
        let answer = try await context.settlement.tellingWhatIsHidden {
            let answer = try await reachingServer(from: context)
            // The edit is sent even if the answer cannot be written.
            let printing = Result { try context.console.conclude(with: answer) }
            if try await hasEdited(context) { try await context.unsentEdits.send(after: before) }
            try printing.get()
            return answer
        }
        try answer.end()
    }
}
