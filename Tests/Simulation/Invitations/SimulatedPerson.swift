import KithModel

/// A person with some devices and emails, in a world of invitations.
final class SimulatedPerson {
    let name: String
    let devices: [AccountsDevice]
    /// The emails that the person reads. Each has to be proved before the server knows whose it is.
    let emails: [String]
    /// The account of all devices.
    var account: AccountID

    init(name: String, devices: [AccountsDevice], emails: [String], account: AccountID) {
        (self.name, self.devices, self.emails, self.account) = (name, devices, emails, account)
    }
}
