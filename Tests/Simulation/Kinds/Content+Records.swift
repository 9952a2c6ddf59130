import Kith
import KithModel

extension Replica.Content {
    /// The lists that are shown, as records.
    var shownLists: [ShownRecord] { lists.map { ShownRecord($0) } }

    /// Whether it shows other lists, items or contacts than earlier content, or another number of unsent edits.
    func isChanged(from earlier: Replica.Content) -> Bool {
        lists != earlier.lists || items != earlier.items || contacts != earlier.contacts || waiting != earlier.waiting
    }

    /// Whether other content shows the same lists and items, the same number of unsent edits, the same rejections, and
    /// the same identity of the device.
    func isSame(as other: Replica.Content) -> Bool {
        lists == other.lists && items == other.items && waiting == other.waiting
            && rejections.map(\.values) == other.rejections.map(\.values)
            && account.device == other.account.device
    }
}
