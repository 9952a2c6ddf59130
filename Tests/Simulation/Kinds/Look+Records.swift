import Kith
import KithModel

extension Replica.Look {
    /// The lists that are shown, as records.
    var shownLists: [ShownRecord] { lists.map { ShownRecord($0) } }

    /// Whether it shows other lists, items or contacts than an earlier look, or another number of unsent edits.
    func isChanged(from earlier: Replica.Look) -> Bool {
        lists != earlier.lists || items != earlier.items || contacts != earlier.contacts || waiting != earlier.waiting
    }

    /// Whether another look shows the same lists and items, the same number of unsent edits, the same rejections, and
    /// the same identity of the device.
    func isSame(as other: Replica.Look) -> Bool {
        lists == other.lists && items == other.items && waiting == other.waiting
            && rejections.map(\.values) == other.rejections.map(\.values)
            && account.device == other.account.device
    }
}
