import KithModel

extension ServerConfiguration {
    /// The settings of codes.
    static let signInSettings: [Setting] = [
        Setting("email-codes", "Whether users can sign in with codes by email (on).", isOn: \.signIn.sendsEmail),
        Setting(
            "recovery-codes", "Whether users can make recovery codes and sign in with them (on).",
            isOn: \.signIn.hasRecoveryCodes),
    ]
}

extension ServerConfiguration.Setting {
    /// Something that is on or off.
    init(
        _ name: String, _ meaning: String, isOn value: any WritableKeyPath<ServerConfiguration, Bool> & Sendable
    ) {
        self.init(name, meaning, "on or off", value) { ["on": true, "off": false][$0] }
    }
}
