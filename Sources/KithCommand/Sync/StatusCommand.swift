import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith status`: the state of sync on this device.
struct StatusCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the sync status of this device.")
    @OptionGroup var options: GlobalOptions

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        let status = try await context.client.status()
        let location = context.location
        let session = try await context.sessionAdvice.sentence(on: status.session)
        let shape: Shape = [
            "status": status.shape, "server": location.server?.absoluteString,
            "data": location.folder.path(percentEncoded: false), "damaged": location.damaged,
            "otherAccounts": status.otherStores.map(\.shape),
        ]
        return CommandAnswer(shape) { colour in
            var table = Table()
            table.add(["Server", Table.Cell(location.server?.absoluteString ?? "none (--server or KITH_SERVER)")])
            table.add(["Data", Table.Cell(location.folder.path(percentEncoded: false))])
            table.add(["Session", Table.Cell(session)])
            for advice in status.elsewhere { table.add(["Elsewhere", Table.Cell(advice, .warning)]) }
            if status.account != nil || status.waiting > 0 {
                table.add(["Waiting", Table.Cell(status.waitingSentence, status.waiting > 0 ? .warning : .plain)])
            }
            table.add(["Last round", Table.Cell(status.lastRound?.day ?? "never")])
            if let error = status.lastError {
                table.add(["Last error", Table.Cell(error.sentence, .warning)])
                if status.session.isForServer {
                    table.add(["Next try", Table.Cell(status.retryAt?.second ?? "with the next command")])
                }
            }
            if status.rejections > 0 {
                let refused = "\(status.rejections.things("edit")); see: kith rejections"
                table.add(["Refused", Table.Cell(refused, .warning)])
            }
            for path in location.damaged { table.add(["Damaged, kept", Table.Cell(path, .warning)]) }
            return table.lines(colour: colour)
        }
    }
}
