import ArgumentParser
import Kith
import KithModel

/// The command for a ``PersonAction``. It is an edit: it works offline and is sent later.
struct PersonActionCommand<Action: PersonAction>: ClientCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: String(describing: Action.self).lowercased(), abstract: Action.abstract)
    }
    @OptionGroup var target: PersonArgument
    @OptionGroup var options: GlobalOptions

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        try await target.answer(
            context, doing: { try await Action.perform(context.client.network, $0) }, advising: Action.advice,
            Action.sentence)
    }
}
