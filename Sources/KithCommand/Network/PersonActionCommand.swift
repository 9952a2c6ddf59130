import ArgumentParser
import Foundation
import Kith
import KithModel

/// The command for a ``PersonAction``. It is an edit: it works offline and is sent later.
struct PersonActionCommand<D: PersonAction>: ClientCommand {
    static var configuration: CommandConfiguration { CommandConfiguration(commandName: D.verb, abstract: D.abstract) }
    @OptionGroup var target: PersonArgument
    @OptionGroup var options: GlobalOptions

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        let person = try await context.person(target.person)
        return try await context.answer(
            about: person, doing: { try await D.perform(context.client.network, person.id) },
            advising: D.advice(person.id), D.sentence)
    }
}
