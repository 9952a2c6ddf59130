package import KithModel

/// A device of an account. The id alone does not say which: a device chooses it, and a device of another account can have
/// the same.
package struct AccountDevice: Hashable, Sendable {
    package let account: AccountID
    package let id: DeviceID

    package init(_ id: DeviceID, of account: AccountID) {
        (self.account, self.id) = (account, id)
    }
}
