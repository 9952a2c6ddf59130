import KithModel

/// A person with some devices, in a world of sharing. The person may go on with another account.
final class SharingPerson: ClientUser {
    let name: String
    let devices: [AccountsDevice]
    var account: AccountID
    /// The number of the accounts that the person has had before.
    private(set) var accountsBefore = 0

    init(name: String, devices: [AccountsDevice], account: AccountID) {
        (self.name, self.devices, self.account) = (name, devices, account)
    }

    /// The person goes on with another account.
    func changes(to account: AccountID) {
        self.account = account
        accountsBefore += 1
    }

    /// The email that the person proves with the present account. All of a person's emails lead to one mailbox.
    var email: String { Self.email(of: name, accountsBefore) }

    static func email(of name: String, _ number: Int) -> String {
        name.lowercased() + (number == 0 ? "" : "+\(number)") + "@example.com"
    }
}
