import KithModel

/// A person with some devices and emails, in a world of invitations.
final class SimulatedPerson: ClientUser {
    let name: String
    let devices: [AccountsDevice]
    /// The emails that the person reads. Each has to be proved before the server knows whose it is.
    let emails: [String]
    /// The number of the person's phone. The operator registers it.
    let number: String
    var account: AccountID

    init(name: String, devices: [AccountsDevice], emails: [String], number: String, account: AccountID) {
        (self.name, self.devices, self.emails, self.account) = (name, devices, emails, account)
        self.number = number
    }

    /// Whether the person reads the messages to an email or a number.
    func reads(_ recipient: String) -> Bool { emails.contains(recipient) || number == recipient }
}
