import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith undo`: restores what the last removal removed.
struct UndoCommand: EditCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Restore the list or the items that were removed last.",
        discussion: """
            The last removal is kept on this device for \(KeptRemoval.time.words), for each account its own. What the server \
            knows to be removed comes back as a copy, with a new id.
            """)
    @OptionGroup var options: GlobalOptions

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        let kept = try await context.lists.lastRemoval()
        if kept == nil, let failure = try await keptElsewhere(context) { throw failure }
        let removed = kept?.removal.lists ?? []
        let restored = try await context.lists.undoLastRemoval()
        var summaries: [ListSummary] = []
        for list in restored.lists { summaries.append(try await context.lists.summary(of: list)) }
        let shape: Shape = ["lists": summaries.map(\.shape), "items": restored.items.map { $0.shape() }]
        if let list = summaries.first {
            let sentence = "Put back the list “\(list.list.name)” with \(list.items.things("item"))."
            let isCopy = !removed.contains(list.list.id)
            return CommandAnswer(shape, sentence + (isCopy ? " It is a new list: nobody else is in it." : ""))
        }
        guard let first = restored.items.first, let list = try await context.lists.list(first.listID) else {
            return CommandAnswer(shape, "There was nothing left to put back.")
        }
        return CommandAnswer(shape, "Put back \(restored.items.named) in “\(list.name)”.")
    }

    /// The failure that names other stores with a removal that can still be undone; nil if there are none.
    private func keptElsewhere(_ context: CommandContext) async throws -> Failure? {
        let oldest = Date.now.addingTimeInterval(-(KeptRemoval.time / .seconds(1)))
        var ways: [String] = []
        for store in try await context.client.otherStores() {
            guard let kept = try await context.lists.lastRemoval(within: store.scope), kept.date > oldest else {
                continue
            }
            ways.append("One is kept in \(store.called): kith --account \(store.scope.typed) undo")
        }
        if ways.isEmpty { return nil }
        return Failure.notFound(
            "There is nothing to undo: no removal is kept in this account. " + ways.joined(separator: ". "))
    }
}
