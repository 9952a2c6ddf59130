import KithModel

/// A person with some devices, in a world of clients.
protocol ClientUser: AnyObject {
    var devices: [AccountsDevice] { get }
    /// The account of all devices.
    var account: AccountID { get }
}
