import Kith
import KithModel

/// The last removal on a device, which can be undone.
struct RemovedHere {
    let account: AccountID?
    let removal: Removal
    let items: Set<ItemID>
}
