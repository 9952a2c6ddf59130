/// The commands that sign in to an account, for sentences. Kith does not know on the device which of them an account has.
enum SignInCommands {
    static let all = """
        kith session register EMAIL|NUMBER, kith session login, kith session passkey login, kith session recovery use CODE
        """
    /// How to sign in to an account again. An email that does not belong to the account would lead to another one.
    static let again = "sign in again with what belongs to the account: \(all)"
}
