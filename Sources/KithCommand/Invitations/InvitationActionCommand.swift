import ArgumentParser
import Kith
import KithModel

/// The command for an ``InvitationAction``. It is an edit: it works offline and is sent later.
struct InvitationActionCommand<Action: InvitationAction>: ClientCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: String(describing: Action.self).lowercased(), abstract: Action.abstract)
    }
    @Argument(help: "The email, the number or the name of the other person, or the start of the invitation's id.")
    var invitation: String
    @OptionGroup var options: GlobalOptions

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        let found = try await context.client.invitation(
            named: invitation, where: { Action.direction == nil || $0.direction == Action.direction },
            preferring: Action.canChange)
        try await context.sending { try await Action.perform(context.client.invitations, found.id) }
        let now = try await context.client.invitations.invitation(found.id)
        return CommandAnswer(["id": found.id, "invitation": now?.shape], Action.sentence(found))
    }
}
