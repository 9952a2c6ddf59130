import Kith
import KithModel

/// A change of the current store during a watch: the new store, and the stores that are hidden now.
struct StoreSwitch: Sendable {
    /// The current store.
    let shown: StoredAccount?
    /// The former current store, if it is no longer on this device.
    private let dropped: AccountScope?
    private let hiding: Hiding
    private let origin: String
    /// The name of the watched list, if the current store does not have it.
    private let missing: String?

    /// nil if the sighting is something else. `list` is the watched list, if only one is watched.
    init?(_ sighting: ObservedChange, _ context: CommandContext, watching list: SharedList? = nil) async throws {
        guard case .switched(let before, let after) = sighting.kind else { return nil }
        let stores = try await context.client.accounts.all()
        shown = stores.first { $0.scope == after }
        dropped = stores.contains { $0.scope == before } ? nil : before
        hiding = Hiding(stores: stores.filter { $0.scope == before }, current: after)
        origin = sighting.isFromElsewhere ? News.elsewhere : ChangeOrigin.device.rawValue
        let lists = try await context.lists.all(within: after)
        missing = list.flatMap { list in lists.contains { $0.id == list.id } ? nil : list.name }
    }

    /// `{"shown": account, "hidden": [account…], "origin"}`, and the same in sentences.
    var answer: CommandAnswer {
        return CommandAnswer(["shown": shown?.shape, "hidden": hiding.stores.map(\.shape), "origin": origin]) { _ in
            var lines: [String] = []
            if let shown {
                lines.append("Now shown: \(shown.called), with \(shown.contents)." + News.words(ofOrigin: origin))
            }
            if let dropped { lines.append("No longer on this device: \(dropped).") }
            lines += hiding.sentences
            if let missing { lines.append("The list “\(missing)” is not in the account that is shown now.") }
            return lines.map(\.printable)
        }
    }
}
