import Kith
import KithModel

/// Checks law 4 for the order of items: a list shows its items in the order of their positions, each once.
final class ItemOrderAuditor {
    /// For each device, the last of its readings whose order was checked.
    private var ordered: [Int: Int] = [:]

    func judge(_ index: Int, in world: World) throws {
        let device = world.devices[index]
        let content = try device.content()
        if ordered[index] == device.readings { return }
        let shown = try device.itemsOfLists()
        for (list, items) in zip(content.lists, shown) {
            let ordered = content.items.filter { $0.listID == list.id }.sorted {
                $0.position == $1.position ? $0.id < $1.id : $0.position < $1.position
            }
            guard items == ordered else {
                throw world.fail(.readYourWrites, "\(device.name) shows \(list.id) in another order than its places")
            }
        }
        ordered[index] = device.readings
    }
}
